"""The compiled form of the probabilistic contrastive loss of a tile, as a function of tensors."""

from __future__ import annotations

import ctypes

import torch
from jaxtyping import Float
from torch import Tensor

from pdml.native.build import load

MOST_SAMPLES = 8
"""Samples per pixel that the C file has room for."""


def available(squared: Float[Tensor, "k i l j"]) -> bool:
    """Whether the compiled form can take a tile."""
    return (
        squared.dtype == torch.float32
        and squared.device.type == "cpu"
        and squared.is_contiguous()
        and squared.shape[0] == squared.shape[2] <= MOST_SAMPLES
        and load("match_tile") is not None
    )


def match_tile(
    squared: Float[Tensor, "k i l j"],
    sign: Float[Tensor, "i j"],
    weight: Float[Tensor, "i j"],
    *,
    a_and_b: tuple[float, float],
    slope: Float[Tensor, "k i l j"],
) -> tuple[Float[Tensor, " 3"], float]:
    """Loss of a tile, its derivatives by a and b, and the smallest sum of probabilities.

    `slope` receives the derivative of the loss with respect to u, divided by the distance.
    """
    library = load("match_tile")
    assert library is not None  # `available` has looked
    n_samples, n_rows, _, n_columns = squared.shape
    totals = torch.empty(n_rows, 3, dtype=torch.float64)
    faintest = torch.empty(n_rows)
    library.match_tile(
        *(ctypes.c_void_p(tensor.data_ptr()) for tensor in (squared, slope, sign, weight)),
        *(ctypes.c_int64(size) for size in (n_samples, n_rows, n_columns)),
        *(ctypes.c_float(value) for value in a_and_b),
        ctypes.c_void_p(totals.data_ptr()),
        ctypes.c_void_p(faintest.data_ptr()),
    )
    return totals.sum(0), float(faintest.min())
