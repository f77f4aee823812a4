"""What a run is about: a scene with its labels, opened by a dataset's name or from files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from pdml.datasets.card import dataset_names
from pdml.datasets.load import load_dataset
from pdml.errors import InvalidInputError, MissingFileError, unknown_name
from pdml.scenes.band_choice import chosen_bands, nearest_left
from pdml.scenes.crs import with_crs
from pdml.scenes.labels import LabelMap
from pdml.scenes.open import open_labels, open_scene, readable_suffixes
from pdml.scenes.scene import Scene


@dataclass(frozen=True)
class Subject:
    """A scene and what is known of it.

    Attributes:
        scene: The scene.
        labels: All labelled pixels; None for a scene that is only mapped.
        dataset: Its name among the public scenes, or None.
        rgb_bands: Bands for a false-colour picture, where there are customary ones.
        train: Published training pixels, where there are some.
        test: Published test pixels.
        origin: How to open it again, in plain values.
    """

    scene: Scene
    labels: LabelMap | None
    dataset: str | None
    rgb_bands: tuple[int, int, int] | None
    train: LabelMap | None
    test: LabelMap | None
    origin: dict[str, Any]


class _OfFeatures(TypedDict):
    class_field: str | None
    layer: str | None


def open_subject(
    name_or_path: str,
    *,
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
    """Opens a public scene by name or a scene from a file.

    Args:
        name_or_path: A dataset's name or a path.
        labels: File with the labels; a public scene has its own.
        key: Name of the cube inside its file.
        labels_key: Name of the label map inside its file.
        nodata: Value of pixels that were not measured.
        class_field: The attribute of polygons and points that names the classes.
        layer: Their layer.
        crs: The coordinate reference system of the scene, where its file names none.
        bands: The bands to use, as `pdml.scenes.band_list` reads them.
        drop_bands: The bands to leave out.

    Raises:
        PdmlError: If something is missing or does not fit, with what to do.
    """
    of_features: _OfFeatures = {"class_field": class_field, "layer": layer}
    origin = {
        "scene": name_or_path,
        "labels": labels,
        "key": key,
        "labels_key": labels_key,
        "nodata": nodata,
        **of_features,
        "crs": crs,
        "bands": bands,
        "drop_bands": drop_bands,
    }
    if name_or_path in dataset_names() and not Path(name_or_path).exists():
        loaded = load_dataset(name_or_path)
        scene = loaded.scene if nodata is None else loaded.scene.with_nodata(nodata)
        scene = _as_asked(scene, crs, bands, drop_bands)
        rgb_bands = nearest_left(loaded.card.rgb_bands, scene.chosen)
        own = loaded.labels
        if labels is not None:
            own = open_labels(labels, key=labels_key, scene=scene, **of_features)
        return Subject(scene, own, name_or_path, rgb_bands, loaded.train, loaded.test, origin)
    _require_path(name_or_path)
    origin["scene"] = str(Path(name_or_path).absolute())
    scene = open_scene(name_or_path, key=key, nodata=nodata)
    scene = _as_asked(scene, crs, bands, drop_bands)
    given = None
    if labels is not None:
        origin["labels"] = str(Path(labels).absolute())
        given = open_labels(labels, key=labels_key, scene=scene, **of_features)
    return Subject(scene, given, None, None, None, None, origin)


def require_labels(subject: Subject) -> LabelMap:
    """The labels of a subject.

    Raises:
        InvalidInputError: If it has none.
    """
    if subject.labels is None:
        raise InvalidInputError(
            f"training needs labels for '{subject.scene.name}', got none; name the file with "
            "--labels"
        )
    return subject.labels


def _as_asked(scene: Scene, crs: str | None, bands: str | None, drop_bands: str | None) -> Scene:
    scene = scene if crs is None else with_crs(scene, crs)
    return chosen_bands(scene, bands=bands, drop=drop_bands)


def _require_path(name_or_path: str) -> None:
    """Tells a mistyped dataset from a missing file."""
    path = Path(name_or_path)
    if path.exists():
        return
    if path.suffix or len(path.parts) > 1:
        raise MissingFileError(
            f"there is no file {name_or_path}; check the path, or give one of the datasets: "
            f"{', '.join(dataset_names())}"
        )
    raise unknown_name("scene", name_or_path, [*dataset_names(), *_files_here()])


def _files_here() -> list[str]:
    suffixes = tuple(readable_suffixes())
    return [file.name for file in Path().iterdir() if file.name.lower().endswith(suffixes)]
