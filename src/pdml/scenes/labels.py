"""`LabelMap`: which pixels are known to be what. The one place where 0 means unlabelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Int, Shaped

from pdml.errors import InvalidInputError

_MOST_LISTED = 6


@dataclass(frozen=True)
class LabelledPixels:
    """Pixels with a known class: flat indices into the scene, and classes 0 to K-1."""

    indices: Int[np.ndarray, " n"]
    classes: Int[np.ndarray, " n"]

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, chosen: Any) -> LabelledPixels:
        """The pixels at some positions (a slice, a mask, or an array of positions)."""
        return LabelledPixels(self.indices[chosen], self.classes[chosen])


@dataclass(frozen=True)
class LabelMap:
    """The labels of a scene as they are on disk: 0 is unlabelled, 1 to K are classes.

    Attributes:
        codes: 0 to K for each pixel.
        class_names: K names in the order of the codes.
        colours: K colours as `#rrggbb`; chosen automatically when empty.
        groups: Which polygon or point each labelled pixel comes from, counted from 1, and 0 where
            there is no label; None for labels that were not drawn as polygons.
        notes: What was left out or changed on the way from the file, one sentence each.
    """

    codes: Int[np.ndarray, "row col"]
    class_names: tuple[str, ...]
    colours: tuple[str, ...] = ()
    groups: Int[np.ndarray, "row col"] | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def from_array(
        cls,
        array: Shaped[np.ndarray, "row col"],
        *,
        class_names: Sequence[str] = (),
        colours: Sequence[str] = (),
        groups: Int[np.ndarray, "row col"] | None = None,
    ) -> LabelMap:
        """Checks an array of labels and gives its classes names.

        Args:
            array: Whole numbers from 0 (unlabelled) to K as (row, col), in any numeric type.
            class_names: Names of classes 1 to K; "class 1" and so on when empty.
            colours: Colours of classes 1 to K as `#rrggbb`.
            groups: The number of the polygon that each labelled pixel lies in, where known.

        Raises:
            InvalidInputError: If the array is not two-dimensional, or holds negative or fractional
                values, no label at all, or a class without a name; or if the groups are of
                another size.
        """
        if array.ndim != 2:
            raise InvalidInputError(
                f"labels must be (row, col), got an array of shape {array.shape}; "
                "one label per pixel, 0 where there is none"
            )
        if groups is not None and groups.shape != array.shape:
            raise InvalidInputError(
                f"groups must have the size of the labels, {array.shape[0]} x {array.shape[1]}, "
                f"got an array of shape {groups.shape}"
            )
        codes = whole_numbers(array)
        n_classes = int(codes.max(initial=0))
        if n_classes == 0:
            raise InvalidInputError(
                "labels must mark at least one pixel with a class from 1 upwards, got only 0; "
                "0 means unlabelled"
            )
        names = tuple(class_names) or tuple(f"class {code}" for code in range(1, n_classes + 1))
        if len(names) < n_classes:
            raise InvalidInputError(
                f"each class needs a name: labels go up to {n_classes}, got {len(names)} names"
            )
        return cls(codes, names, tuple(colours), groups)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n_rows, n_cols = self.codes.shape
        return n_rows, n_cols

    @property
    def n_classes(self) -> int:
        """Number of classes, those without a pixel included."""
        return len(self.class_names)

    @property
    def counts(self) -> Int[np.ndarray, " class_"]:
        """Number of labelled pixels of each class."""
        return np.bincount(self.labelled.classes, minlength=self.n_classes)

    @property
    def labelled(self) -> LabelledPixels:
        """All labelled pixels in row-major order, with classes from 0."""
        flat = self.codes.ravel()
        indices = np.flatnonzero(flat)
        return LabelledPixels(indices, flat[indices].astype(np.int64) - 1)

    def unlabelled(self, pixels: Bool[np.ndarray, "row col"], *notes: str) -> LabelMap:
        """The same labels without those of some pixels, and with what to say of it."""
        groups = None if self.groups is None else np.where(pixels, 0, self.groups)
        codes = np.where(pixels, 0, self.codes)
        return replace(self, codes=codes, groups=groups, notes=(*self.notes, *notes))

    def without_empty_classes(self) -> LabelMap:
        """The same labels with the classes numbered anew, those without a pixel left out."""
        present = self.counts > 0
        if present.all():
            return self
        absent = [
            name for name, is_there in zip(self.class_names, present, strict=True) if not is_there
        ]
        number = np.concatenate([[0], np.where(present, np.cumsum(present), 0)]).astype(np.int32)
        of_present = np.flatnonzero(present)
        return replace(
            self,
            codes=number[self.codes],
            class_names=tuple(self.class_names[place] for place in of_present),
            colours=tuple(self.colours[place] for place in of_present) if self.colours else (),
            notes=(
                *self.notes,
                f"Classes without a labelled pixel are left out: {listed(absent)}.",
            ),
        )

    def without_class(self, number: int) -> LabelMap:
        """The same labels as if a class were not known: its pixels have no label, nor it a name.

        Args:
            number: The class, from 0.
        """
        codes = np.where(self.codes == number + 1, 0, self.codes)
        codes = codes - (codes > number + 1)
        groups = None if self.groups is None else np.where(codes == 0, 0, self.groups)
        names, colours = list(self.class_names), list(self.colours)
        del names[number], colours[number : number + 1]
        return replace(
            self,
            codes=codes,
            groups=groups,
            class_names=tuple(names),
            colours=tuple(colours),
        )

    def require_shape(self, scene_shape: tuple[int, int]) -> None:
        """Checks that the labels lie on a scene's grid.

        Raises:
            InvalidInputError: If rows or columns differ; both sizes are in the message.
        """
        if self.shape != tuple(scene_shape):
            raise InvalidInputError(
                f"labels must have the scene's size: the scene is {scene_shape[0]} x "
                f"{scene_shape[1]} pixels, the labels are {self.shape[0]} x {self.shape[1]}; "
                "check that both belong together and that rows and columns are not swapped"
            )


def listed(texts: Sequence[str]) -> str:
    """Names in one line, the first few when they are many: "oats, rye and 12 more"."""
    if len(texts) <= _MOST_LISTED:
        return ", ".join(texts)
    rest = len(texts) - _MOST_LISTED + 1
    return f"{', '.join(texts[: _MOST_LISTED - 1])} and {rest} more"


def whole_numbers(array: Shaped[np.ndarray, "row col"]) -> Int[np.ndarray, "row col"]:
    """Labels of any numeric type as int32.

    Raises:
        InvalidInputError: If a value is negative, fractional or not a number.
    """
    if array.dtype.kind not in "uifb":
        raise InvalidInputError(f"labels must be whole numbers, got values of type {array.dtype}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise InvalidInputError(
            "labels must be whole numbers from 0, got NaN or infinite values; use 0 for unlabelled"
        )
    codes = array.astype(np.int32)
    odd = array[codes != array]
    if odd.size:
        raise InvalidInputError(
            f"labels must be whole numbers from 0, got {odd.flat[0]} "
            f"({odd.size} fractional or too large values); is this a label map?"
        )
    if codes.min(initial=0) < 0:
        raise InvalidInputError(
            f"labels must be whole numbers from 0, got {codes.min()}; "
            "use 0 for unlabelled and 1 to K for the classes"
        )
    return codes
