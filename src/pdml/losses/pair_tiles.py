"""Losses over all pairs of pixels, tile by tile, with their gradients in the same pass.

A loss of the distances between all samples of all pixels touches (pixel * sample)^2 numbers. Here
they never exist at once: the upper triangle of pixel pairs is walked in tiles that fit the cache,
and while a tile is there its share of the gradients is added up. Nothing quadratic is kept, each
pair is visited once, and nothing is approximated. Distances come from products, so a squared
distance carries a rounding error of about 1e-7 times the squared length of the two samples.

What the loss does with a distance is a `PairFormula`; this file knows tiles and nothing of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.autograd.function import FunctionCtx, once_differentiable

from pdml.errors import InvalidInputError
from pdml.native.product import transposed_product

TINY = 1e-6
"""Added to every squared distance: the slope of the root at zero is infinite, at 1e-6 it is 500."""

TILE_PIXELS = 256
"""Pixels along the side of a tile: with 3 samples each, 2.4 MB per float32 array."""


@dataclass(frozen=True)
class PairTile:
    """All pairs between two blocks of pixels.

    Attributes:
        squared: Squared distance of every pair of samples plus `TINY`; a formula may overwrite it.
        same: Whether two pixels are of the same class.
        weight: Factor of each pair of pixels in the loss; zero where a pair does not count.
        scratch: Three arrays to work in; fresh memory costs more than the arithmetic on it.
    """

    squared: Float[Tensor, "k i l j"]
    same: Bool[Tensor, "i j"]
    weight: Float[Tensor, "i j"]
    scratch: Float[Tensor, "3 k i l j"]


@dataclass(frozen=True)
class TileGradient:
    """Derivatives of the weighted loss of a tile.

    Attributes:
        slope: With respect to `squared`, but for the factor.
        factor: A scalar that multiplies slope; cheaper to apply to sums than to a whole tile.
        parameters: With respect to each learnable parameter of the formula.
    """

    slope: Float[Tensor, "k i l j"]
    factor: Float[Tensor, ""]
    parameters: tuple[Float[Tensor, ""], ...]


class PairFormula(Protocol):
    """A loss of sampled squared distances: what it is and how it changes on one tile."""

    def __call__(
        self, tile: PairTile, parameters: Sequence[Float[Tensor, ""]], *, with_gradient: bool
    ) -> tuple[Float[Tensor, ""], TileGradient | None]:
        """The weighted sum of the loss over the tile and, if asked for, its derivatives."""


def tiled_pair_loss(
    samples: Float[Tensor, "pixel sample feature"],
    classes: Int[Tensor, " pixel"],
    formula: PairFormula,
    parameters: Sequence[Float[Tensor, ""]] = (),
    *,
    weights: tuple[float, float] = (1.0, 1.0),
    tile_pixels: int = TILE_PIXELS,
) -> Float[Tensor, ""]:
    """Sums a formula over all unordered pairs of different pixels.

    Args:
        samples: Samples of every pixel.
        classes: Class of every pixel.
        formula: Loss of a tile of squared distances.
        parameters: Learnable scalars of the formula.
        weights: Factor of pairs of the same class and of pairs of different classes.
        tile_pixels: Most pixels along the side of a tile; changes the speed, not the result.

    Returns:
        The weighted sum, differentiable once with respect to samples and parameters.

    Raises:
        InvalidInputError: If the samples are of a coarse number type.
    """
    if samples.dtype not in (torch.float32, torch.float64):
        raise InvalidInputError(
            f"samples must be float32 or float64, got {samples.dtype}; "
            "call .float() on the embedding before the loss"
        )
    # A common shift changes no distance, and without it the Gram form below cancels less.
    centred = samples - samples.detach().mean((0, 1))
    inputs = (samples, *parameters)
    with_gradient = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in inputs)
    walk = _Walk(formula, weights, tile_pixels, with_gradient)
    loss: Tensor = _TiledPairLoss.apply(  # type: ignore[no-untyped-call]
        centred, classes, walk, *parameters
    )
    return loss


@dataclass(frozen=True)
class _Walk:
    """What is to be done on the way over the tiles."""

    formula: PairFormula
    weights: tuple[float, float]
    tile_pixels: int
    with_gradient: bool


class _Block:
    """Some pixels as the operands of the tile's matrix products; rows are sample-major."""

    def __init__(self, samples: Float[Tensor, "i k feature"], classes: Int[Tensor, " i"]) -> None:
        self.classes = classes
        rows = samples.transpose(0, 1).flatten(0, 1)
        squares = rows.square().sum(1, keepdim=True)
        ones = torch.ones_like(squares)
        # |x - y|^2 + tiny = [x, |x|^2 + tiny, 1] . [-2y, 1, |y|^2]: one product, no further pass.
        self.left = torch.cat([rows, squares + TINY, ones], 1)
        self.right = torch.cat([-2 * rows, ones, squares], 1)
        # The row of ones makes the products of the gradient sum the slopes as well.
        self.columns = torch.cat([rows.t(), ones.t()])
        self.gradient = torch.zeros_like(self.columns[:-1])


class _TiledPairLoss(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: FunctionCtx,
        samples: Float[Tensor, "pixel sample feature"],
        classes: Int[Tensor, " pixel"],
        walk: _Walk,
        *parameters: Float[Tensor, ""],
    ) -> Float[Tensor, ""]:
        n_samples = samples.shape[1]
        blocks = _blocks(samples, classes, walk.tile_pixels)
        weights = samples.new_tensor(walk.weights)
        scratch = samples.new_empty(3, (n_samples * len(blocks[0].classes)) ** 2)
        total = samples.new_zeros(())
        to_parameters = [torch.zeros_like(parameter) for parameter in parameters]
        for index, first in enumerate(blocks):
            for second in blocks[index:]:
                tile = _tile(first, second, weights, scratch)
                loss, gradient = walk.formula(tile, parameters, with_gradient=walk.with_gradient)
                total += loss
                if gradient is not None:
                    _add_to_samples(first, second, gradient)
                    if to_parameters:
                        torch._foreach_add_(to_parameters, list(gradient.parameters))
                # The next tile takes over the memory of this one.
                del tile, gradient
        if walk.with_gradient:
            to_samples = [b.gradient.view(-1, n_samples, len(b.classes)) for b in blocks]
            ctx.save_for_backward(torch.cat(to_samples, 2).permute(2, 1, 0), *to_parameters)
        return total

    @staticmethod
    @once_differentiable
    def backward(ctx: FunctionCtx, upstream: Float[Tensor, ""]) -> tuple[Tensor | None, ...]:
        to_samples, *to_parameters = ctx.saved_tensors  # type: ignore[attr-defined]
        scaled = (upstream * gradient for gradient in to_parameters)
        return upstream * to_samples, None, None, *scaled


def _blocks(
    samples: Float[Tensor, "pixel sample feature"], classes: Int[Tensor, " pixel"], most: int
) -> list[_Block]:
    n = len(samples)
    # Blocks of one size: a small last one would cost as many calls as a full one. Eights align.
    even = n / max(math.ceil(n / most), 1)
    size = min(most, 8 * math.ceil(even / 8))
    pieces = zip(torch.split(samples, size), torch.split(classes, size), strict=True)
    return [_Block(*piece) for piece in pieces]


def _tile(
    first: _Block,
    second: _Block,
    weights: Float[Tensor, " 2"],
    scratch: Float[Tensor, "3 size"],
) -> PairTile:
    squared = transposed_product(first.left, second.right).clamp_min_(TINY)
    n_first, n_second = len(first.classes), len(second.classes)
    squared = squared.view(-1, n_first, squared.shape[1] // n_second, n_second)
    same = first.classes[:, None] == second.classes[None, :]
    weight = torch.where(same, weights[0], weights[1])
    if first is second:
        weight.triu_(1)
    return PairTile(squared, same, weight, scratch[:, : squared.numel()].view(3, *squared.shape))


def _add_to_samples(first: _Block, second: _Block, gradient: TileGradient) -> None:
    """Chain rule of |x - y|^2: the slope times 2 (x - y), summed over y for x and over x for y."""
    slope = gradient.slope.flatten(2).flatten(0, 1)
    factor = 2 * gradient.factor
    for block, other, weights in ((first, second, slope), (second, first, slope.t())):
        *weighted, summed = torch.split(
            transposed_product(other.columns, weights), [len(block.gradient), 1]
        )
        block.gradient += factor * torch.addcmul(-weighted[0], block.columns[:-1], summed)
