"""Whether a network's convolutions in the plane pad a patch or wear its border away."""

from __future__ import annotations

from typing import Literal, get_args

from pdml.errors import unknown_name

Padding = Literal["same", "collapsed"]
"""`same` keeps rows and columns, so that laps exist; `collapsed` is the published geometry."""


def require_padding(name: str) -> None:
    """Refuses a padding that does not exist.

    Raises:
        UnknownNameError: With the nearest name.
    """
    if name not in get_args(Padding):
        raise unknown_name("padding", name, get_args(Padding))


def size_after(patch_size: int, *, padding: Padding, n_convolutions: int) -> int:
    """Side of a patch after some 3 x 3 convolutions; below 1 where the patch is worn away."""
    return patch_size if padding == "same" else patch_size - 2 * n_convolutions
