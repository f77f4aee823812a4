"""The compiled probabilistic contrastive loss over all pairs, as a function of tensors."""

from __future__ import annotations

import ctypes

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pdml.native.build import load

MOST_SAMPLES = 8
"""Samples per pixel that the C file has room for."""


def available(samples: Float[Tensor, "pixel sample feature"]) -> bool:
    """Whether the compiled form can take these samples."""
    return (
        samples.dtype == torch.float32
        and samples.device.type == "cpu"
        and samples.numel() > 0
        and samples.shape[1] <= MOST_SAMPLES
        and load("match_pairs") is not None
    )


def match_pairs(
    samples: Float[Tensor, "pixel sample feature"],
    classes: Int[Tensor, " pixel"],
    *,
    a_and_b: tuple[float, float],
    weights: tuple[float, float],
    tiny: float,
    with_gradient: bool,
) -> tuple[tuple[float, float, float], Float[Tensor, "pixel sample feature"] | None]:
    """Loss over all pairs and its derivatives by a, by b and, if asked for, by the samples.

    Args:
        samples: Samples of every pixel, as `available` wants them.
        classes: Class of every pixel.
        a_and_b: Slope and threshold of the match probability.
        weights: Factor of pairs of the same class and of pairs of different classes.
        tiny: Added to every squared distance.
        with_gradient: Whether the derivative by the samples is wanted.

    Raises:
        MemoryError: If there is not enough memory.
    """
    library = load("match_pairs")
    assert library is not None  # `available` has looked
    samples, classes = samples.contiguous(), classes.long().contiguous()
    gradient = torch.empty_like(samples) if with_gradient else None
    terms = (ctypes.c_double * 3)()
    failed = library.match_pairs(
        ctypes.c_void_p(samples.data_ptr()),
        ctypes.c_void_p(classes.data_ptr()),
        *(ctypes.c_int64(size) for size in samples.shape),
        *(ctypes.c_float(value) for value in (tiny, *weights, *a_and_b)),
        terms,
        None if gradient is None else ctypes.c_void_p(gradient.data_ptr()),
    )
    if failed:
        raise MemoryError("there is not enough memory for the pair loss; try a smaller batch_size")
    loss, to_a, to_b = terms
    return (loss, to_a, to_b), gradient
