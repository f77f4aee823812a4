"""Opening a file as a scene or a label map: picks the reader and the array, or says why not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pdml.errors import InvalidInputError, MissingFileError, unknown_name
from pdml.scenes.labels import LabelMap
from pdml.scenes.reader import READERS, Reader, StoredArray, reading
from pdml.scenes.scene import Scene

_CUBE = "a cube (row, col, band)"
_LABELS = "a label map (row, col)"


def open_scene(path: str | Path, *, key: str | None = None, nodata: float | None = None) -> Scene:
    """Opens a hyperspectral image; its values are read later, window by window.

    Args:
        path: A file of any format that `readable_suffixes` lists.
        key: Name of the cube inside the file; found by itself when the file holds only one.
        nodata: The value that marks pixels as not measured; what the file says when None.

    Raises:
        MissingFileError: If there is no such file.
        UnreadableFileError: If the file is truncated or of another kind.
        InvalidInputError: If the suffix is unknown, or not exactly one cube is meant.
    """
    path = _existing(path)
    reader = reader_for(path)
    with reading(path):
        scene = reader.scene(path, _choose(path, reader.stored(path), key, what=_CUBE))
    return scene if nodata is None else scene.with_nodata(nodata)


def open_labels(
    path: str | Path,
    *,
    key: str | None = None,
    class_names: Sequence[str] = (),
    colours: Sequence[str] = (),
) -> LabelMap:
    """Opens a label map: 0 where a pixel is unlabelled, 1 to K elsewhere.

    Args:
        path: A file of any format that `readable_suffixes` lists.
        key: Name of the label map inside the file; found by itself when the file holds only one.
        class_names: Names of classes 1 to K.
        colours: Colours of classes 1 to K as `#rrggbb`.

    Raises:
        MissingFileError: If there is no such file.
        UnreadableFileError: If the file is truncated or of another kind.
        InvalidInputError: If the suffix is unknown, not exactly one label map is meant, or the
            values are not labels.
    """
    path = _existing(path)
    reader = reader_for(path)
    with reading(path):
        array = reader.image(path, _choose(path, reader.stored(path), key, what=_LABELS))
    return LabelMap.from_array(array, class_names=class_names, colours=colours)


def readable_suffixes() -> dict[str, str]:
    """Every file suffix that can be opened, with the name of its reader."""
    return {suffix: name for name in READERS.names() for suffix in READERS.get(name).suffixes}


def reader_for(path: Path) -> Reader:
    """The reader for a file, by its suffix.

    Raises:
        InvalidInputError: If no reader takes the suffix; all that are taken are listed.
    """
    known = readable_suffixes()
    suffix = path.suffix.lower()
    if suffix not in known:
        raise InvalidInputError(
            f"'{path}' must end in one of {', '.join(sorted(known))}, got '{suffix}'; "
            "convert the file, or rename it if it is one of these"
        )
    return READERS.get(known[suffix])()


def _existing(path: str | Path) -> Path:
    path = Path(path).expanduser()
    if not path.exists():
        raise MissingFileError(
            f"'{path}' must be a file, but there is none; "
            f"check the path (the current folder is '{Path.cwd()}')"
        )
    return path


def _choose(path: Path, stored: list[StoredArray], key: str | None, *, what: str) -> str:
    """The name of the array that is meant."""
    if key is not None:
        named = {array.name: array for array in stored}
        if key not in named:
            raise unknown_name(f"array in '{path.name}'", key, named)
        if not _is(named[key], what):
            raise InvalidInputError(
                f"'{key}' in '{path}' must be {what}, got {named[key].kind} of shape "
                f"{named[key].shape}; {_others(stored)}"
            )
        return key
    candidates = [array for array in stored if _is(array, what)]
    if not candidates:
        raise InvalidInputError(f"'{path}' must hold {what}, but none is there; {_others(stored)}")
    if len(candidates) > 1:
        listed = ", ".join(str(array) for array in candidates)
        raise InvalidInputError(
            f"'{path}' must hold one array that can be {what}, got {len(candidates)}: {listed}; "
            f'choose with --key NAME on the command line or key="{candidates[0].name}" in Python'
        )
    return candidates[0].name


def _is(array: StoredArray, what: str) -> bool:
    if not array.is_numeric or 0 in array.shape:
        return False
    if what == _CUBE:
        return len(array.shape) == 3
    # Formats made for images hold a single band as (row, col, 1); a line of values is no map.
    one_band = len(array.shape) == 2 or (len(array.shape) == 3 and array.shape[2] == 1)
    return one_band and min(array.shape[:2]) > 1


def _others(stored: list[StoredArray]) -> str:
    listed = ", ".join(f"{array} {array.kind}" for array in stored)
    return f"the file holds: {listed}" if listed else "the file holds no arrays"
