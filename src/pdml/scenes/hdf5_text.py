"""Texts among the attributes of HDF5 files, which libraries store in several ways."""

from __future__ import annotations

from typing import Any

import numpy as np


def text_of(value: Any) -> str:
    """A text that may be stored as bytes, as an array of one, or with zeros at its end."""
    if isinstance(value, np.ndarray):
        value = value.ravel()[0] if value.size else ""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return text.rstrip("\x00").strip()
