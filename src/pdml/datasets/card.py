"""`Card`: what is known about a public scene before any of its files is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from pdml.registry import Registry

Role = Literal["cube", "labels", "train", "test"]
LABEL_ROLES: tuple[Role, ...] = ("labels", "train", "test")


@dataclass(frozen=True)
class DataFile:
    """One file of a dataset; two roles may lie in one file under two keys.

    Attributes:
        role: What it holds: the cube, all labels, or the labels of a published part.
        names: File names that are accepted, the usual one first. It is the one that is downloaded.
        keys: Names of the array inside the file, as different copies have it.
        urls: Where the first name can be downloaded, in the order to try.
        sha256: Checksum of that download, where it is known.
        installed: A package that carries the file, and the file's path inside it.
        required: Whether the dataset is useless without it.
    """

    role: Role
    names: tuple[str, ...]
    keys: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    sha256: str | None = None
    installed: tuple[str, str] | None = None
    required: bool = True


@dataclass(frozen=True)
class PublishedSplit:
    """Training and test pixels that someone fixed, in a file that others have to bring.

    Attributes:
        names: File names that are accepted.
        keys: Names of the training and the test map inside the file.
        n_pixels: Training and test pixels, by which the right file is told.
        source: Who published it.
    """

    names: tuple[str, ...]
    keys: tuple[str, str]
    n_pixels: tuple[int, int]
    source: str


@dataclass(frozen=True)
class Card:
    """A public scene: where its files are, what must be in them, what to cite.

    Attributes:
        name: The name under which it is registered.
        title: What people call it.
        files: Its files. Without one for `labels`, the labels are those of `train` and `test`.
        shape: Rows, columns, bands.
        dtype: Type of the values as they are usually distributed.
        class_names: Names of classes 1 to K.
        colours: Colours of classes 1 to K as `#rrggbb`.
        counts: Labelled pixels of each class, by role.
        rgb_bands: Bands, counted from 0, that make a natural or false-colour picture.
        citation: The publication or source to cite.
        wavelengths_nm: Centre of each band, where it is known to a fraction of the bandwidth.
        terms: Terms of use, as far as they are stated.
        how_to_get: What to do where nothing can be downloaded.
        about: Anything else worth printing: sensor, resolution, what was removed.
        splits: Published splits by their names, apart from one that belongs to the scene itself.
    """

    name: str
    title: str
    files: tuple[DataFile, ...]
    shape: tuple[int, int, int]
    dtype: str
    class_names: tuple[str, ...]
    colours: tuple[str, ...]
    counts: dict[Role, tuple[int, ...]]
    rgb_bands: tuple[int, int, int]
    citation: str
    wavelengths_nm: tuple[float, ...] | None = None
    terms: str = "not stated"
    how_to_get: str = ""
    about: dict[str, str] = field(default_factory=dict)
    splits: dict[str, PublishedSplit] = field(default_factory=dict)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_names)

    @property
    def counts_of_all(self) -> tuple[int, ...]:
        """Labelled pixels of each class in all parts together."""
        if "labels" in self.counts:
            return self.counts["labels"]
        return tuple(sum(parts) for parts in zip(*self.counts.values(), strict=True))


DATASETS: Registry[Callable[[], Card]] = Registry("dataset", "pdml.datasets.named")


def dataset_names() -> list[str]:
    """Names of all datasets."""
    return DATASETS.names()


def dataset_card(name: str) -> Card:
    """What is known about a dataset.

    Raises:
        UnknownNameError: If there is none of that name; the message names the nearest.
    """
    return DATASETS.get(name)()
