"""The compiled form of batch normalisation and ReLU, as functions of tensors."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from pdml.native.build import load

VECTOR = 16
"""Values in the widest vector register; groups of rows are a multiple of it."""

WIDE_MAX = 4096
"""As in the C file."""

CENTRED_ON = 16
"""Rows, about, whose mean the statistics are centred on."""

TYPES = {torch.float32: "float32", torch.bfloat16: "bfloat16"}


@dataclass(frozen=True)
class Groups:
    """A (row, channel) matrix seen as groups of rows whose length suits vector registers.

    Attributes:
        n_groups: Number of groups.
        repeats: Rows in a group.
        n_channels: Channels in a row.
    """

    n_groups: int
    repeats: int
    n_channels: int

    @property
    def wide(self) -> int:
        """Values in a group."""
        return self.repeats * self.n_channels

    def spread(self, *vectors: Float[Tensor, " channel"]) -> Float[Tensor, "vector wide"]:
        """Numbers per channel repeated for every row of a group."""
        return torch.stack(vectors).float().repeat(1, self.repeats)

    def gather(
        self, sums: Float[Tensor, " sum"]
    ) -> tuple[Float[Tensor, " channel"], Float[Tensor, " channel"]]:
        """Two sums per channel from two sums per column of a group."""
        first, second = sums.view(2, self.repeats, self.n_channels).sum(1)
        return first, second


def groups_of(x: Float[Tensor, "row channel"]) -> Groups | None:
    """How a matrix is grouped, or None if the compiled form cannot take it."""
    n_rows, n_channels = x.shape
    repeats = VECTOR // math.gcd(VECTOR, n_channels)
    fits = (
        x.dtype in TYPES
        and x.device.type == "cpu"
        and x.is_contiguous()
        and n_rows % repeats == 0
        and repeats * n_channels <= WIDE_MAX
        and load("norm_relu") is not None
    )
    return Groups(n_rows // repeats, repeats, n_channels) if fits else None


def statistics(
    x: Float[Tensor, "row channel"], groups: Groups
) -> tuple[Float[Tensor, " channel"], Float[Tensor, " channel"]]:
    """Mean and variance of each channel, float64, in one pass.

    Squares are of the distance to the mean of a few rows, so that a large mean costs no digits.
    """
    n = x.shape[0]
    about = x[:: max(1, n // CENTRED_ON)].float().mean(0)
    centre = groups.spread(about)[0]
    sums = torch.empty(2 * groups.wide, dtype=torch.float64)
    _call("statistics", x, x, groups, centre, sums)
    first, second = groups.gather(sums)
    offset = first / n
    return about.double() + offset, (second / n - offset.square()).clamp_min_(0)


def apply(
    x: Float[Tensor, "row channel"], groups: Groups, scale_shift: Float[Tensor, "2 wide"]
) -> Float[Tensor, "row channel"]:
    """relu(scale * x + shift)."""
    y = torch.empty_like(x)
    _call("apply", x, x, groups, scale_shift[0], scale_shift[1], y)
    return y


def gradient_sums(
    x: Float[Tensor, "row channel"],
    g: Float[Tensor, "row channel"],
    groups: Groups,
    spread: Float[Tensor, "3 wide"],
) -> tuple[Float[Tensor, " channel"], Float[Tensor, " channel"]]:
    """Sums of h and h * (x - mean), h being g where the output was positive.

    `spread` holds scale, shift and mean.
    """
    sums = torch.empty(2 * groups.wide, dtype=torch.float64)
    _call("gradient_sums", x, g, groups, *spread, sums)
    return groups.gather(sums)


def gradient(
    x: Float[Tensor, "row channel"],
    g: Float[Tensor, "row channel"],
    groups: Groups,
    spread: Float[Tensor, "4 wide"],
) -> Float[Tensor, "row channel"]:
    """Returns scale * h + slope * x + offset; `spread` holds scale, shift, slope and offset."""
    dx = torch.empty_like(x)
    _call("gradient", x, g, groups, *spread, dx)
    return dx


def _call(name: str, x: Tensor, g: Tensor, groups: Groups, *arrays: Tensor) -> None:
    library = load("norm_relu")
    assert library is not None  # `groups_of` has looked
    function = getattr(library, f"{name}_{TYPES[x.dtype]}")
    inputs = (x,) if g is x else (x, g)
    function(
        *(ctypes.c_void_p(tensor.data_ptr()) for tensor in inputs),
        ctypes.c_int64(groups.n_groups),
        ctypes.c_int64(groups.wide),
        *(ctypes.c_void_p(tensor.data_ptr()) for tensor in arrays),
    )
