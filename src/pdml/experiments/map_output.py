"""Where maps go: formats, names of files in a folder, and what must not be overwritten."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pdml.errors import InvalidInputError, RunExistsError, StorageError, unknown_name
from pdml.inference.geotiff import companions
from pdml.inference.partial_map import COMPLETE, partial_folder

FORMATS = {
    "tif": "classes with colours and names for QGIS and GDAL, and how sure each pixel is",
    "zarr": "the same as arrays in chunks",
    "npz": "classes, the probabilities of all classes and the uncertainty",
    "png": "a picture of the scene, its classes and their uncertainty",
}
SUFFIXES = {".tif": "tif", ".tiff": "tif", ".zarr": "zarr", ".npz": "npz", ".png": "png"}
DEFAULT_FORMAT = "tif"


def is_folder(out: str, *, n_scenes: int) -> bool:
    """Whether maps go into a folder: for several scenes, or when the name is that of a folder."""
    path = Path(out)
    if n_scenes > 1 or out.endswith(("/", "\\")):
        return True
    return path.suffix.lower() not in SUFFIXES and (path.is_dir() or not path.suffix)


def format_of(out: Path, wanted: str | None) -> str:
    """The format of a single map, by its suffix.

    Raises:
        UnknownNameError: If there is no format of the wanted name.
        InvalidInputError: If nothing is written under the suffix, or another format was asked for.
    """
    require_format(wanted)
    if out.suffix.lower() not in SUFFIXES:
        listed = ", ".join(f".{name} ({what})" for name, what in FORMATS.items())
        raise InvalidInputError(
            f"a map is written as one of {listed}, got '{out.name}'; let the name end in one of "
            "these"
        )
    named = SUFFIXES[out.suffix.lower()]
    if wanted not in (None, named):
        raise InvalidInputError(
            f"the name of a map and --format must agree, got '{out.name}' and {wanted}; leave out "
            "--format, or change the name"
        )
    return named


def require_format(wanted: str | None) -> None:
    """Checks the name of a format.

    Raises:
        UnknownNameError: If there is none of that name.
    """
    if wanted is not None and wanted not in FORMATS:
        raise unknown_name("format", wanted, FORMATS)


def maps_in_folder(folder: Path, scenes: Sequence[str], wanted: str | None) -> list[Path]:
    """A file per scene in a folder, named after the scene.

    Raises:
        UnknownNameError: If there is no such format.
        InvalidInputError: If two scenes would get the same name.
    """
    require_format(wanted)
    if folder.suffix.lower() in SUFFIXES and not folder.is_dir():
        raise InvalidInputError(
            f"several scenes are mapped into a folder, got the name of a file: '{folder.name}'; "
            "give a folder: -o maps/"
        )
    names = [Path(scene).stem if Path(scene).exists() else scene for scene in scenes]
    for name, count in Counter(names).items():
        if count > 1:
            clashing = [scene for scene, own in zip(scenes, names, strict=True) if own == name]
            raise InvalidInputError(
                f"scenes that are mapped into one folder must have different names, got "
                f"{' and '.join(clashing)}; rename one, or map it by itself with -o"
            )
    return [folder / f"{name}.{wanted or DEFAULT_FORMAT}" for name in names]


def require_free(out: Path, *, overwrite: bool, going_on: bool) -> None:
    """Checks that a map can be written under a name, before any work is done.

    Args:
        out: The map.
        overwrite: Whether it may be replaced.
        going_on: Whether an interrupted mapping may have left files that belong to the map.

    Raises:
        RunExistsError: If it, or a file that belongs to it, is there and must not be replaced.
        InvalidInputError: If it is a folder that is no zarr.
    """
    if out.is_dir() and not (out / "zarr.json").is_file():
        raise InvalidInputError(
            f"{out} must be the name of a map, but it is a folder of other things; choose another "
            "name"
        )
    begun = partial_folder(out)
    if overwrite or (going_on and (begun / COMPLETE).is_file()):
        return
    beside = [] if going_on and begun.is_dir() else _companions(out)
    for path in [out, *beside]:
        if path.exists():
            raise RunExistsError(
                f"{path} is there already; choose another name, or say --overwrite to replace it"
            )


def _companions(out: Path) -> list[Path]:
    is_tif = SUFFIXES.get(out.suffix.lower()) == "tif"
    return [out.with_name(name) for name in companions(out.name)] if is_tif else []


def require_writable(folder: Path) -> None:
    """Makes a folder for maps, or checks the one that is there, by writing into it.

    Raises:
        StorageError: If it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise StorageError(
            f"cannot write into {folder}: {error.strerror}; choose another place with -o"
        ) from error
