"""The compiled step of RMSProp, as a function of tensors."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import torch
from torch import Tensor

from pdml.native.build import load


class _Setting(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_float) for name in ("rate", "alpha", "eps", "decay"))


def available(tensors: Sequence[Tensor]) -> bool:
    """Whether the compiled form can take these weights, gradients or averages."""
    return (
        all(t.dtype == torch.float32 and t.is_cpu and t.is_contiguous() for t in tensors)
        and load("rmsprop") is not None
    )


def rmsprop(
    weights: Sequence[Tensor],
    gradients: Sequence[Tensor],
    averages: Sequence[Tensor],
    steps: Sequence[Tensor],
    *,
    rate: float,
    alpha: float,
    eps: float,
    weight_decay: float,
) -> None:
    """Changes weights, averages of squared gradients and counts of steps in place.

    average = alpha * average + (1 - alpha) * g²; weight -= rate * g / (sqrt(average) + eps), with
    g = gradient + weight_decay * weight.
    """
    library = load("rmsprop")
    assert library is not None  # `available` has looked
    n = len(weights)
    pointers = [
        (ctypes.c_void_p * n)(*(tensor.data_ptr() for tensor in tensors))
        for tensors in (weights, gradients, averages, steps)
    ]
    library.rmsprop(
        ctypes.c_int64(n),
        (ctypes.c_int64 * n)(*(weight.numel() for weight in weights)),
        *pointers,
        ctypes.byref(_Setting(rate, alpha, eps, weight_decay)),
        ctypes.c_int(torch.get_num_threads()),
    )
