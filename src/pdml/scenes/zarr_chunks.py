"""Chunks of a zarr array that are cut off are refused, also by the one codec that does not look.

Blosc takes the length of a chunk from its header and reads as far, beyond the end of one that is
cut off: what comes out is then whatever lies there in memory, often without an error.
"""

from __future__ import annotations

import struct
from typing import Any

from pdml.optional import require

HEADER_BYTES = 16
"""Of a Blosc frame; its last four bytes are the length of the whole."""


def checked(array: Any, store: Any, *, name: str) -> Any:
    """The same array, whose chunks are looked at before they are decompressed.

    Chunks inside shards have their lengths in an index, which the library compares.

    Args:
        array: The array as it was opened.
        store: Where it lies.
        name: Its path inside the store.
    """
    if array.shards is not None or not any(_is_blosc(codec) for codec in array.compressors):
        return array
    zarr = require("zarr", extra="scale")
    storage = require("zarr.storage", extra="scale")

    class CheckedStore(storage.WrapperStore):  # type: ignore[misc, name-defined]  # optional
        """Hands over whole chunks only."""

        async def get(self, key: str, prototype: Any, byte_range: Any = None) -> Any:
            """A chunk, or a file that says what there is."""
            found = await super().get(key, prototype, byte_range)
            if found is not None and byte_range is None and not _is_description(key):
                require_whole_frame(found.to_bytes(), key)
            return found

    return zarr.open_array(CheckedStore(store), path=name, mode="r")


def require_whole_frame(frame: bytes, key: str) -> None:
    """Checks that a Blosc frame is as long as its header says.

    Raises:
        ValueError: If it is not; who reads the file says which one.
    """
    stated = struct.unpack("<I", frame[12:HEADER_BYTES])[0] if len(frame) >= HEADER_BYTES else -1
    if stated != len(frame):
        raise ValueError(f"chunk {key} is cut off: it has {len(frame)} bytes")


def _is_blosc(codec: Any) -> bool:
    """Of version 2 by its name, of version 3 by its class."""
    return "blosc" in str(getattr(codec, "codec_id", type(codec).__name__)).lower()


def _is_description(key: str) -> bool:
    last = key.rpartition("/")[2]
    return last == "zarr.json" or last.startswith(".z")
