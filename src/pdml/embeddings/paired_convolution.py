"""Two 3 x 3 convolutions of the same small patches, as one gather and one matrix product.

The heads of mean and log-variance see the same features. Neighbours are gathered once for both, and
the gradient of the features is one product and one gather as well.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from pdml.embeddings.patch_convolution import MOST_GATHERED, N_TAPS
from pdml.native.product import transposed_product


def paired_convolution(
    x: Float[Tensor, "n row col channel"], first: nn.Conv2d, second: nn.Conv2d
) -> tuple[Float[Tensor, "n row col out"], Float[Tensor, "n row col out"]]:
    """Applies two padded 3 x 3 convolutions of equal size, in float32 or better.

    Tensors too large to gather go through each convolution by itself.
    """
    if x.numel() * N_TAPS > MOST_GATHERED:
        return first(x), second(x)
    with torch.autocast(x.device.type, enabled=False):
        y: Tensor = _Paired.apply(  # type: ignore[no-untyped-call]
            x.to(first.weight.dtype), first.weight, second.weight, first.bias, second.bias
        )
    half = first.out_channels
    return y[..., :half], y[..., half:]


class _Paired(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, *parameters: Tensor) -> Tensor:
        rows = _gathered(x.reshape(-1, x.shape[-1]), _neighbours(*x.shape[:3], x.device))
        weight = torch.cat(parameters[:2]).permute(0, 2, 3, 1).flatten(1)
        ctx.save_for_backward(rows, weight)
        ctx.shape = x.shape
        y = transposed_product(rows, weight).add_(torch.cat(parameters[2:]))
        return y.view(*x.shape[:3], -1)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        rows, weight = ctx.saved_tensors
        n, n_rows, n_cols, n_channels = ctx.shape
        g = gradients[0].reshape(-1, len(weight))
        of_weight = transposed_product(g.t(), rows.t()).view(-1, 3, 3, n_channels)
        of_x = None
        if ctx.needs_input_grad[0]:
            of_taps = transposed_product(g, weight.t()).view(-1, n_channels)
            readers = _readers(n, n_rows, n_cols, g.device)
            of_x = _gathered(of_taps, readers).view(-1, N_TAPS, n_channels).sum(1).view(ctx.shape)
        return of_x, *of_weight.permute(0, 3, 1, 2).chunk(2), *g.sum(0).chunk(2)


def _gathered(
    table: Float[Tensor, "any channel"], places: Int[Tensor, "pixel tap"]
) -> Float[Tensor, "pixel tap_channel"]:
    """Rows of a table side by side; zeros for the place behind the last."""
    table = torch.cat([table, table.new_zeros(1, table.shape[1])])
    return table.index_select(0, places.flatten()).view(len(places), -1)


@lru_cache(maxsize=8)
def _neighbours(n: int, n_rows: int, n_cols: int, device: torch.device) -> Int[Tensor, "pixel tap"]:
    """Which pixel lies under each tap of each pixel; the number of pixels where none does."""
    n_pixels = n * n_rows * n_cols
    padded = torch.full((n, n_rows + 2, n_cols + 2), n_pixels, device=device)
    padded[:, 1:-1, 1:-1] = torch.arange(n_pixels, device=device).view(n, n_rows, n_cols)
    return padded.unfold(1, 3, 1).unfold(2, 3, 1).reshape(n_pixels, N_TAPS)


@lru_cache(maxsize=8)
def _readers(n: int, n_rows: int, n_cols: int, device: torch.device) -> Int[Tensor, "pixel tap"]:
    """Where each pixel is read: by the neighbour on the other side, through the tap towards it."""
    neighbours = _neighbours(n, n_rows, n_cols, device)
    opposite = neighbours.flip(1)
    taps = torch.arange(N_TAPS, device=device)
    nowhere = len(neighbours) * N_TAPS
    return torch.where(opposite < len(neighbours), opposite * N_TAPS + taps, nowhere)
