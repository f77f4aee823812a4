"""Figures become PNG files, at the resolution for which they were laid out."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure
from matplotlib.image import imsave

from pdml.atomic import atomic_path
from pdml.errors import InvalidInputError

DPI = 200


def picture_bytes(figure: Figure) -> bytes:
    """A figure as the content of a PNG file; the same figure always gives the same bytes."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=figure.dpi, metadata={"Software": None})
    return buffer.getvalue()


def save_picture(figure: Figure, path: Path) -> None:
    """Writes a figure as PNG, whole or not at all.

    Raises:
        InvalidInputError: If the file name does not end in .png.
        StorageError: If the file cannot be written.
    """
    _require_suffix(path, ".png", "pictures")
    with atomic_path(path) as temporary:
        temporary.write_bytes(picture_bytes(figure))


def save_image(colours: Float[np.ndarray, "row col rgb"], path: Path) -> None:
    """Writes colours from 0 to 1 as PNG, a pixel for a pixel.

    Raises:
        InvalidInputError: If the file name does not end in .png.
        StorageError: If the file cannot be written.
    """
    _require_suffix(path, ".png", "pictures")
    with atomic_path(path) as temporary:
        # An empty name, or the file would tell which version of matplotlib wrote it.
        imsave(temporary, colours, format="png", metadata={"Software": ""})


def save_vector(figure: Figure, path: Path) -> None:
    """Writes a figure as PDF; the same figure always gives the same bytes.

    Raises:
        InvalidInputError: If the file name does not end in .pdf.
        StorageError: If the file cannot be written.
    """
    _require_suffix(path, ".pdf", "vector pictures")
    buffer = BytesIO()
    figure.savefig(buffer, format="pdf", metadata={"CreationDate": None, "Producer": None})
    with atomic_path(path) as temporary:
        temporary.write_bytes(buffer.getvalue())


def _require_suffix(path: Path, suffix: str, what: str) -> None:
    if path.suffix.lower() != suffix:
        raise InvalidInputError(
            f"{what} are written as {suffix[1:].upper()}, got the file name '{path.name}'; let it "
            f"end in {suffix}"
        )
