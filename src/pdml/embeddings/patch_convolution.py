"""A 3 x 3 convolution inside small patches, as compiled code or as one gather and one product.

A training batch of patches is a tiny image stack. The framework's convolution spends most of its
time on it before the first multiplication. Where a C compiler is at hand, compiled loops take it;
elsewhere each pixel's nine neighbours are gathered into a row, which takes twice as long, and
larger batches go through the framework.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import conv2d

from pdml.native import patch_convolution as native

N_TAPS = 9
MOST_GATHERED = 2**20
"""Values in the gathered matrix up to which gathering wins."""


class PatchConvolution(nn.Conv2d):
    """A padded 3 x 3 convolution over (n, row, col, channel) tensors, always in float32.

    It is a small part of the work, and outside of bfloat16 no weight has to be converted.
    """

    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__(n_in, n_out, 3, padding=1)

    def forward(self, x: Float[Tensor, "n row col channel"]) -> Float[Tensor, "n row col out"]:
        """Convolves over rows and columns."""
        with torch.autocast(x.device.type, enabled=False):
            x = x.to(self.weight.dtype)
            if torch.is_grad_enabled() and native.available(x):
                compiled: Tensor = _CompiledConvolution.apply(  # type: ignore[no-untyped-call]
                    x, self.weight, self.bias
                )
                return compiled
            if x.numel() * N_TAPS > MOST_GATHERED:
                y = conv2d(x.permute(0, 3, 1, 2), self.weight, self.bias, padding=1)
                return y.permute(0, 2, 3, 1)
            result: Tensor = _GatheredConvolution.apply(  # type: ignore[no-untyped-call]
                x, self.weight, self.bias
            )
            return result


class _CompiledConvolution(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        x, weight = x.contiguous(), weight.contiguous()
        ctx.save_for_backward(x, weight)
        return native.convolve(x, weight, bias, turned=False)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        g = gradients[0].contiguous()
        of_x = native.convolve(g, weight, None, turned=True) if ctx.needs_input_grad[0] else None
        return of_x, *native.weight_gradient(x, g)


class _GatheredConvolution(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        rows = _neighbours(x)
        ctx.save_for_backward(rows, weight)
        n_out = weight.shape[0]
        flat = weight.permute(0, 2, 3, 1).reshape(n_out, -1)
        return torch.addmm(bias, rows, flat.t()).view(*x.shape[:3], n_out)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        rows, weight = ctx.saved_tensors
        n_out, n_in = weight.shape[:2]
        g = gradients[0].contiguous()
        of_rows = g.view(-1, n_out)
        of_weight = (of_rows.t() @ rows).view(n_out, 3, 3, n_in).permute(0, 3, 1, 2)
        of_x = None
        if ctx.needs_input_grad[0]:
            # The gradient of a convolution is one with the kernel turned round.
            turned = weight.flip(2, 3).permute(2, 3, 0, 1).reshape(-1, n_in)
            of_x = (_neighbours(g) @ turned).view(*g.shape[:3], n_in)
        return of_x, of_weight, of_rows.sum(0)


def _neighbours(x: Float[Tensor, "n row col channel"]) -> Float[Tensor, "pixel tap_channel"]:
    """Each pixel's nine neighbours in a row, zero outside of the patch."""
    n, n_rows, n_cols, n_channels = x.shape
    table = torch.cat([x.reshape(-1, n_channels), x.new_zeros(1, n_channels)])
    taps = _taps(n, n_rows, n_cols, x.device)
    return table.index_select(0, taps).view(-1, N_TAPS * n_channels)


@lru_cache(maxsize=8)
def _taps(n: int, n_rows: int, n_cols: int, device: torch.device) -> Int[Tensor, " tap"]:
    """Where each pixel's neighbours are in a batch; the last row where there is none."""
    n_pixels = n * n_rows * n_cols
    numbers = torch.arange(n_pixels, device=device).view(n, n_rows, n_cols)
    padded = torch.full((n, n_rows + 2, n_cols + 2), n_pixels, device=device)
    padded[:, 1:-1, 1:-1] = numbers
    windows = padded.unfold(1, 3, 1).unfold(2, 3, 1)
    return windows.reshape(-1)
