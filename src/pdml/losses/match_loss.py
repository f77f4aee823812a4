"""The probabilistic contrastive loss over all pairs of pixels: compiled as a whole, or by tiles."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import FunctionCtx, once_differentiable

from pdml.losses.match_tiles import match_tile
from pdml.losses.pair_tiles import TINY, tiled_pair_loss
from pdml.native import match_pairs as native


def match_loss(
    samples: Float[Tensor, "pixel sample feature"],
    classes: Int[Tensor, " pixel"],
    a: Float[Tensor, ""],
    b: Float[Tensor, ""],
    *,
    weights: tuple[float, float] = (1.0, 1.0),
) -> Float[Tensor, ""]:
    """Sums the negative log-probability of what is true of each unordered pair of pixels.

    Float32 samples on a processor go through compiled code where there is any; all others, with
    the same result, through `tiled_pair_loss`.

    Args:
        samples: Samples of every pixel.
        classes: Class of every pixel.
        a: Slope of the match probability.
        b: Its threshold.
        weights: Factor of pairs of the same class and of pairs of different classes.

    Returns:
        The weighted sum, differentiable once with respect to samples, a and b.

    Raises:
        InvalidInputError: If the samples are of a coarse number type.
    """
    if not native.available(samples):
        return tiled_pair_loss(samples, classes, match_tile, (a, b), weights=weights)
    with_gradient = torch.is_grad_enabled() and samples.requires_grad
    loss: Tensor = _CompiledLoss.apply(  # type: ignore[no-untyped-call]
        samples, a, b, classes, (*weights, with_gradient)
    )
    return loss


class _CompiledLoss(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: FunctionCtx,
        samples: Float[Tensor, "pixel sample feature"],
        a: Float[Tensor, ""],
        b: Float[Tensor, ""],
        classes: Int[Tensor, " pixel"],
        how: tuple[float, float, bool],
    ) -> Float[Tensor, ""]:
        terms, gradient = native.match_pairs(
            samples,
            classes,
            a_and_b=(float(a), float(b)),
            weights=how[:2],
            tiny=TINY,
            with_gradient=how[2],
        )
        loss, to_a, to_b = samples.new_tensor(terms).unbind()
        ctx.save_for_backward(gradient, to_a, to_b)  # type: ignore[arg-type]  # None will do
        return loss.clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: FunctionCtx, upstream: Float[Tensor, ""]) -> tuple[Tensor | None, ...]:
        gradient, to_a, to_b = ctx.saved_tensors  # type: ignore[attr-defined]
        to_samples = None if gradient is None else upstream * gradient
        return to_samples, upstream * to_a, upstream * to_b, None, None
