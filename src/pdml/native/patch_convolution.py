"""The compiled 3 x 3 convolution of small patches, as functions of tensors."""

from __future__ import annotations

import ctypes

import torch
from jaxtyping import Float
from torch import Tensor

from pdml.native.build import load


class _Shape(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_int64)
        for name in ("patches", "rows", "cols", "inputs", "outputs", "threads")
    )


def available(x: Tensor) -> bool:
    """Whether the compiled form can take a batch of patches."""
    return (
        x.dtype == torch.float32
        and x.device.type == "cpu"
        and load("patch_convolution") is not None
    )


def convolve(
    x: Float[Tensor, "n row col channel"],
    weight: Float[Tensor, "a b 3 3"],
    bias: Float[Tensor, " out"] | None,
    *,
    turned: bool,
) -> Float[Tensor, "n row col out"]:
    """The convolution; `turned`, that of an output gradient which gives the input's."""
    n_out = weight.shape[1] if turned else weight.shape[0]
    y = x.new_empty(*x.shape[:3], n_out)
    bias_at = None if bias is None else ctypes.c_void_p(bias.data_ptr())
    _call("patch_convolve", x, n_out, x, weight, bias_at, ctypes.c_int(turned), y)
    return y


def weight_gradient(
    x: Float[Tensor, "n row col channel"], g: Float[Tensor, "n row col out"]
) -> tuple[Float[Tensor, "out channel 3 3"], Float[Tensor, " out"]]:
    """Gradients of weight and bias from input and output gradient."""
    n_out = g.shape[-1]
    of_weight, of_bias = x.new_empty(n_out, x.shape[-1], 3, 3), x.new_empty(n_out)
    _call("patch_weight_gradient", x, n_out, x, g, of_weight, of_bias)
    return of_weight, of_bias


def _call(name: str, x: Tensor, n_out: int, *arguments: object) -> None:
    library = load("patch_convolution")
    assert library is not None  # `available` has looked
    library.scratch_floats.restype = ctypes.c_int64
    shape = ctypes.byref(_Shape(*x.shape, n_out, torch.get_num_threads()))
    scratch = x.new_empty(library.scratch_floats(shape))
    pointers = [
        ctypes.c_void_p(one.data_ptr()) if isinstance(one, Tensor) else one
        for one in (*arguments, scratch)
    ]
    getattr(library, name)(shape, *pointers)
