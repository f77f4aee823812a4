"""The compiled passes of a spectral stage, as functions of tensors.

There are three forms: float32 and bfloat16 with vector instructions, whose activations are arrays
of cells (see `band_cells.h`), and bfloat16 with tile registers, whose activations are rows (see
`amx_rows.h`). Only the passes look into them.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor

from pdml.native.build import load

LANES = 16
"""Pixels side by side, as in the C files."""

TAPS, STRIDE = 7, 2
"""Length of all convolutions and stride of the first one, as in the C files."""

GAMMA, BETA, MEAN, VARIANCE, SCALE, SHIFT, OF_GAMMA, OF_BETA = range(8)
N_VECTORS = 10
"""Vectors over channels that belong to a normalisation, as in `band_norm.h`."""

FORMS = {
    "spectral_float32": torch.float32,
    "spectral_amx": torch.bfloat16,
    "spectral_bfloat16": torch.bfloat16,
}
"""The C files and the number format of their activations; of one format the faster one first."""

TILED_CHANNELS = (16, 24, 32)
"""Numbers of channels that the form with tile registers is written for."""


class _Shape(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_int64) for name in ("pixels", "bands", "positions", "channels", "threads")
    )


def fastest(dtype: torch.dtype, n_channels: int) -> str | None:
    """The form that this machine compiles and its processor has the instructions for, if any."""
    forms = [form for form, of in FORMS.items() if of == dtype and runs(form, n_channels)]
    return forms[0] if forms else None


def runs(form: str, n_channels: int) -> bool:
    """Whether a form can be had here."""
    written_for = form != "spectral_amx" or n_channels in TILED_CHANNELS
    return written_for and _library(form) is not None


@cache
def _library(form: str) -> ctypes.CDLL | None:
    """A form's passes; without them, if the processor has not what they are written for."""
    library = load(form)
    if library is None or not hasattr(library, "memory_bytes"):
        return None
    if hasattr(library, "permitted") and not library.permitted():
        return None
    library.memory_bytes.restype = ctypes.c_int64
    return library


@dataclass(frozen=True)
class Passes:
    """The passes over a batch of spectra.

    Attributes:
        n_pixels: Spectra in the batch.
        n_bands: Bands of each.
        n_positions: Band positions that the first convolution leaves.
        n_channels: Channels of the convolutions.
        form: One of `FORMS` that runs here.
        eps: Added to variances.
    """

    n_pixels: int
    n_bands: int
    n_positions: int
    n_channels: int
    form: str
    eps: float

    @property
    def dtype(self) -> torch.dtype:
        """That of activations."""
        return FORMS[self.form]

    def norms(self, count: int) -> Float[Tensor, "norm vector channel"]:
        """Tables of vectors over channels for a number of normalisations."""
        return torch.zeros(count, N_VECTORS, self.n_channels + self.n_channels % 2)

    def activations(self) -> Float[Tensor, ...]:
        """Room for what a convolution returns."""
        if self.form == "spectral_amx":
            length = -(-self.n_positions * self.n_channels // LANES) * LANES
            return torch.empty(self.n_pixels, length, dtype=self.dtype)
        n_blocks, n_pairs = -(-self.n_pixels // LANES), -(-self.n_channels // 2)
        shape = (n_blocks, n_pairs, self.n_positions, 2 * LANES)
        return torch.empty(shape, dtype=self.dtype)

    def first(
        self, pixels: Tensor, weight: Tensor, bias: Tensor, norm: Tensor, *, moments: bool
    ) -> Tensor:
        """The first convolution of the spectra; its moments go to `norm` if asked for."""
        y = self.activations()
        self._call("first_forward", pixels, weight, bias, y, norm, moments, self.eps)
        return y

    def convolve(
        self,
        x: Tensor,
        norm_x: Tensor,
        kernel: tuple[Tensor, Tensor],
        residual: tuple[Tensor, Tensor | None] | None,
        norm: Tensor,
        *,
        moments: bool,
    ) -> Tensor:
        """A convolution of relu(norm(x)), plus a residual, normalised or as it is."""
        y = self.activations()
        added, norm_added = residual or (None, None)
        self._call(
            "convolve_forward", x, norm_x, *kernel, added, norm_added, y, norm, moments, self.eps
        )
        return y

    def rows(self, x: Tensor, norm: Tensor) -> Float[Tensor, "pixel position_channel"]:
        """relu(norm(x)) as one row per pixel."""
        rows = torch.empty(self.n_pixels, self.n_positions * self.n_channels, dtype=self.dtype)
        self._call("rows_forward", x, norm, rows)
        return rows

    def rows_backward(self, gradient: Tensor, x: Tensor, norm: Tensor) -> Tensor:
        """Gradient of relu(norm(x)) where that was positive."""
        h = self.activations()
        self._call("rows_backward", gradient, x, norm, h, self.eps)
        return h

    def convolve_backward(
        self,
        behind: tuple[Tensor, Tensor, Tensor, Tensor | None],
        kept: Tensor | None,
        x: Tensor,
        norm_x: Tensor,
        weight: Tensor,
        skip: Tensor | None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Gradients of relu(norm(x)) where that was positive, of the weight and of the bias.

        Args:
            behind: For the output y: gradient behind its normalisation, y, the normalisation, and
                what else reaches y.
            kept: Receives the gradient of y.
            x: Input of the convolution before normalisation.
            norm_x: Its normalisation.
            weight: The kernel.
            skip: What reaches relu(norm(x)) past the convolution.
        """
        h, of_weight = self.activations(), torch.empty_like(weight)
        of_bias = weight.new_empty(self.n_channels)
        self._call(
            "convolve_backward", *behind, kept, x, norm_x, weight, skip, h, of_weight, of_bias,
            self.eps,
        )  # fmt: skip
        return h, of_weight, of_bias

    def first_backward(
        self,
        behind: tuple[Tensor, Tensor, Tensor],
        pixels: Tensor,
        weight: Tensor,
        *,
        of_pixels: bool,
    ) -> tuple[Tensor | None, Tensor, Tensor]:
        """Gradients of the spectra, if asked for, and of the first convolution."""
        spectra = torch.empty_like(pixels) if of_pixels else None
        of_weight, of_bias = torch.empty_like(weight), weight.new_empty(self.n_channels)
        self._call("first_backward", *behind, pixels, weight, of_weight, of_bias, spectra)
        return spectra, of_weight, of_bias

    def _call(self, name: str, *arguments: Tensor | float | bool | None) -> None:
        library = _library(self.form)
        assert library is not None  # `runs` has looked
        shape = _Shape(
            self.n_pixels, self.n_bands, self.n_positions, self.n_channels, torch.get_num_threads()
        )
        by_reference = ctypes.byref(shape)
        memory = torch.empty(library.memory_bytes(by_reference), dtype=torch.uint8)
        getattr(library, name)(by_reference, *map(_argument, (*arguments, memory)))


def _argument(value: Tensor | float | bool | None) -> object:
    match value:
        case bool():
            return ctypes.c_int(value)
        case float():
            return ctypes.c_double(value)
        case None:
            return None
    return ctypes.c_void_p(value.data_ptr())
