"""What a reader is: one file per format turns a path into a scene without reading its values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

import numpy as np
from jaxtyping import Shaped

from pdml.errors import PdmlError, UnreadableFileError
from pdml.registry import Registry
from pdml.scenes.scene import Scene

_NUMERIC_KINDS = ("int", "uint", "float", "double", "single")


@dataclass(frozen=True)
class StoredArray:
    """One array in a file, as its header describes it.

    Attributes:
        name: The key under which it is stored; the file's stem where a file holds one array only.
        shape: Its axes as (row, col, band) or (row, col), whatever the order in the file.
        kind: Its type as the format calls it ("uint16", "struct").
    """

    name: str
    shape: tuple[int, ...]
    kind: str

    @property
    def is_numeric(self) -> bool:
        """Whether the values are real numbers."""
        return self.kind.startswith(_NUMERIC_KINDS)

    def __str__(self) -> str:
        """Name and shape: `cube (145, 145, 200)`."""
        return f"{self.name} {self.shape}"


class Reader(Protocol):
    """Reads one file format.

    A reader has no state and is made without arguments. Libraries that only it needs are imported
    inside its methods, because choosing a reader imports all of them.
    """

    suffixes: ClassVar[tuple[str, ...]]

    def stored(self, path: Path) -> list[StoredArray]:
        """What is in a file, from its header where the format has one."""

    def scene(self, path: Path, name: str) -> Scene:
        """One stored cube as a scene that is read later, with all that the file knows of it."""

    def image(self, path: Path, name: str) -> Shaped[np.ndarray, "row col"]:
        """One stored image of a single band, read at once."""


READERS: Registry[type[Reader]] = Registry("reader", "pdml.scenes.readers")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turns whatever a library raises while it reads a file into one clear error.

    Raises:
        UnreadableFileError: If the block failed; the library's own reason is in the message.
    """
    try:
        yield
    except (PdmlError, MemoryError):
        raise
    except Exception as error:
        # Libraries raise nearly anything on a broken file: scipy alone raises ValueError,
        # TypeError, KeyError, zlib.error, OSError and its own class.
        reason = " ".join(str(_first_cause(error)).split()) or type(error).__name__
        raise UnreadableFileError(
            f"'{path}' must be a complete {path.suffix} file, but reading it failed ({reason}); "
            "it may be truncated or of another kind: copy or download it again"
        ) from error


def _first_cause(error: BaseException) -> BaseException:
    """What went wrong first: rasterio only says "see previous exception" where it reads."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error
