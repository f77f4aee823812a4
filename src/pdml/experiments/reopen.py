"""Opening again what a run was about, from what stands in its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pdml.errors import MissingFileError, UnreadableFileError
from pdml.experiments.run_folder import RunFolder
from pdml.experiments.subject import Subject, open_subject


def existing_run(path: Path) -> RunFolder:
    """The folder of a run.

    Raises:
        MissingFileError: If there is no such folder, or no run in it.
    """
    folder = RunFolder(path)
    if not folder.origin.is_file():
        lacks = f"{folder.origin.name} is missing" if path.is_dir() else "there is no such folder"
        raise MissingFileError(
            f"{path} must be the folder of a run, but {lacks}; "
            "give what `pdml train` was told with --out"
        )
    return folder


def reopen_subject(
    folder: RunFolder,
    *,
    scene: str | None = None,
    labels: str | None = None,
    key: str | None = None,
    labels_key: str | None = None,
    nodata: float | None = None,
    class_field: str | None = None,
    layer: str | None = None,
    crs: str | None = None,
    bands: str | None = None,
    drop_bands: str | None = None,
) -> Subject:
    """Opens the scene of a run again; whatever is given counts instead of what is stored.

    Raises:
        PdmlError: If the run does not say what it was about, or its files have moved.
    """
    given: dict[str, Any] = {
        "scene": scene,
        "labels": labels,
        "key": key,
        "labels_key": labels_key,
        "nodata": nodata,
    }
    # Runs of before there were these options say nothing of them.
    since = {"class_field": class_field, "layer": layer, "crs": crs}
    since |= {"bands": bands, "drop_bands": drop_bands}
    origin = folder.read_origin()
    lacking = given.keys() - origin.keys()
    if lacking:
        raise UnreadableFileError(
            f"{folder.origin} must say what was run, it lacks {', '.join(sorted(lacking))}; "
            "name the folder of a run that pdml wrote"
        )
    given |= since
    wanted: dict[str, Any] = {
        name: origin.get(name) if value is None else value for name, value in given.items()
    }
    return open_subject(wanted.pop("scene"), **wanted)


def scene_for_map(
    folder: RunFolder,
    name: str | None = None,
    *,
    key: str | None = None,
    nodata: float | None = None,
    crs: str | None = None,
) -> Subject:
    """Opens a scene that is mapped with the model of a run.

    The run's own scene is opened as it was for the run, without labels. Of any other scene the
    run's nodata value counts if neither its file nor the user names one.

    Args:
        folder: The run.
        name: A dataset's name or a path; the run's own scene when None.
        key: Name of the cube inside its file.
        nodata: Value of pixels that were not measured.
        crs: The coordinate reference system of the scene, where its file names none.

    Raises:
        PdmlError: If something is missing or does not fit, with what to do.
    """
    origin = folder.read_origin()
    own = str(origin.get("scene"))
    name = own if name is None else name
    if own in (name, str(Path(name).absolute())):
        key, crs = key or origin.get("key"), crs or origin.get("crs")
        nodata = origin.get("nodata") if nodata is None else nodata
    subject = open_subject(name, key=key, nodata=nodata, crs=crs)
    stated = origin.get("nodata")
    if stated is None or subject.scene.nodata is not None:
        return subject
    return open_subject(name, key=key, nodata=stated, crs=crs)
