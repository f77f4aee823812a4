"""Batch normalisation followed by ReLU as one operation on (..., channel) tensors.

The framework's own pair takes a third of a training step on a CPU, and not for its arithmetic: it
reads and writes the same matrix some twenty times. Where a C compiler is at hand, large matrices go
through loops that do so eight times; `docs/explanation/performance.md` has the numbers. Statistics
are float32 or better whatever the precision of the input.
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import batch_norm

from pdml.native import norm_relu as native

WORTH_COMPILED_CODE = 2**17
"""Values from which the compiled form wins: on fewer, its calls cost more than its passes save."""


class _CompiledNormRelu(torch.autograd.Function):
    """y = relu(gamma * (x - mean) / sqrt(var + eps) + beta) with batch statistics."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, gamma: Tensor, beta: Tensor, eps: float, groups: native.Groups
    ) -> tuple[Tensor, Tensor, Tensor]:
        rows = x.reshape(-1, x.shape[-1])
        mean, variance = (moment.to(gamma.dtype) for moment in native.statistics(rows, groups))
        inverse_std = torch.rsqrt(variance + eps)
        scale = gamma * inverse_std
        spread = groups.spread(scale, beta - mean * scale, mean)
        y = native.apply(rows, groups, spread)
        ctx.save_for_backward(rows, mean, scale, inverse_std, spread)
        ctx.groups = groups
        ctx.mark_non_differentiable(mean, variance)
        return y.view(x.shape), mean, variance

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        rows, mean, scale, inverse_std, spread = ctx.saved_tensors
        groups: native.Groups = ctx.groups
        g = gradients[0].reshape(rows.shape).contiguous()
        of_beta, of_centred = (
            total.to(scale.dtype) for total in native.gradient_sums(rows, g, groups, spread)
        )
        of_gamma = of_centred * inverse_std
        # dx = scale * (h - mean(h) - normalised * mean(h * normalised)), linear in h and x
        slope = scale * inverse_std * of_gamma / -len(rows)
        offset = scale * of_beta / -len(rows) - slope * mean
        coefficients = torch.cat([spread[:2], groups.spread(slope, offset)])
        dx = native.gradient(rows, g, groups, coefficients)
        return dx.view(gradients[0].shape), of_gamma, of_beta, None, None


class NormRelu(nn.Module):
    """Batch normalisation over all axes but the last, then ReLU.

    Args:
        n_channels: Length of the last axis.
        eps: Added to the variance.
        momentum: Weight of a new batch in the running statistics.
    """

    running_mean: Tensor
    running_var: Tensor

    def __init__(self, n_channels: int, *, eps: float = 1e-5, momentum: float = 0.1) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n_channels))
        self.bias = nn.Parameter(torch.zeros(n_channels))
        self.eps = eps
        self.momentum = momentum
        self.register_buffer("running_mean", torch.zeros(n_channels))
        self.register_buffer("running_var", torch.ones(n_channels))

    def forward(self, x: Float[Tensor, "*any channel"]) -> Float[Tensor, "*any channel"]:
        """Normalises with the batch's statistics in training, with the running ones otherwise."""
        rows = x.reshape(-1, x.shape[-1])
        groups = native.groups_of(rows) if x.numel() >= WORTH_COMPILED_CODE else None
        if groups is None:
            y = batch_norm(
                rows,
                self.running_mean,
                self.running_var,
                self.weight,
                self.bias,
                self.training and len(rows) > 1,  # a single value has no spread of its own
                self.momentum,
                self.eps,
            )
            return y.relu_().view(x.shape)
        if not self.training:
            return self._evaluated(rows, groups).view(x.shape)
        result: Tensor
        result, mean, variance = _CompiledNormRelu.apply(  # type: ignore[no-untyped-call]
            x, self.weight, self.bias, self.eps, groups
        )
        self.track(mean, variance, len(rows))
        return result

    @torch.no_grad()
    def track(
        self, mean: Float[Tensor, " channel"], variance: Float[Tensor, " channel"], n_rows: int
    ) -> None:
        """Moves the running statistics towards those of a batch."""
        unbiased = variance * (n_rows / (n_rows - 1))
        self.running_mean.lerp_(mean.to(self.running_mean.dtype), self.momentum)
        self.running_var.lerp_(unbiased.to(self.running_var.dtype), self.momentum)

    def _evaluated(
        self, rows: Float[Tensor, "row channel"], groups: native.Groups
    ) -> Float[Tensor, "row channel"]:
        """With the running statistics both together are relu(scale * x + shift): one pass."""
        scale, shift = self.scale_and_shift()
        if torch.is_grad_enabled():
            return torch.addcmul(shift, rows, scale).relu_().to(rows.dtype)
        return native.apply(rows, groups, groups.spread(scale, shift))

    def scale_and_shift(self) -> tuple[Float[Tensor, " channel"], Float[Tensor, " channel"]]:
        """The evaluation form y = relu(scale * x + shift)."""
        scale = self.weight * torch.rsqrt(self.running_var + self.eps)
        return scale, self.bias - self.running_mean * scale
