"""How the terms of a loss become one number."""

from __future__ import annotations

from typing import Literal, get_args

from pdml.errors import unknown_name

Reduction = Literal["mean", "paper"]
"""`mean` averages every sum; `paper` sums exactly where the paper's formulas sum."""


def require_reduction(name: str) -> None:
    """Refuses a reduction that does not exist.

    Raises:
        UnknownNameError: With the nearest name.
    """
    if name not in get_args(Reduction):
        raise unknown_name("reduction", name, get_args(Reduction))
