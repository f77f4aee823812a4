"""`PatchSource`: patches around any pixels of a scene, gathered in one step from one padded array.

Patches are never stored. The scene is standardised and padded once; a batch is then one
`index_select` of rows of that array. `PatchGrid` is the geometry alone, so that the same gather
works on any table with one row per padded pixel (spectra, or features of spectra).
"""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from pdml.errors import InvalidInputError, unknown_name
from pdml.patches.fitted_features import FittedFeatures
from pdml.patches.normalise import Standardiser
from pdml.scenes.expected import Expected
from pdml.scenes.row_blocks import row_blocks
from pdml.scenes.scene import Scene
from pdml.splits.checks import require_odd

BORDERS = ("zero", "reflect")


class PatchGrid:
    """Where the pixels of a patch are in a scene that is padded by half a patch on each side.

    Args:
        n_rows: Rows of the scene.
        n_cols: Columns of the scene.
        patch_size: Side of a patch in pixels, odd.
        device: Where indices are computed; indices that are passed in must be there too.

    Raises:
        InvalidInputError: If the patch size is even or below 1.
    """

    def __init__(
        self, n_rows: int, n_cols: int, patch_size: int, *, device: torch.device | str = "cpu"
    ) -> None:
        require_odd(patch_size)
        self.n_rows = n_rows
        self.n_cols = n_cols
        self.patch_size = patch_size
        self.margin = patch_size // 2
        steps = torch.arange(patch_size, device=device)
        self._offsets = (steps[:, None] * self.padded_shape[1] + steps).reshape(1, -1)

    @property
    def padded_shape(self) -> tuple[int, int]:
        """Rows and columns with the margin on each side."""
        return self.n_rows + 2 * self.margin, self.n_cols + 2 * self.margin

    @property
    def n_padded(self) -> int:
        """Number of pixels with the margin."""
        return self.padded_shape[0] * self.padded_shape[1]

    def centres(self, indices: Int[Tensor, " n"]) -> Int[Tensor, " n"]:
        """Flat padded indices of pixels that are given by their flat indices in the scene."""
        return self._corners(indices) + self.margin * (self.padded_shape[1] + 1)

    def neighbours(self, indices: Int[Tensor, " n"]) -> Int[Tensor, "n position"]:
        """Flat padded indices of the pixels of each patch, row by row."""
        return self._corners(indices)[:, None] + self._offsets

    def gather(
        self, table: Float[Tensor, "padded feature"], indices: Int[Tensor, " n"]
    ) -> Float[Tensor, "n row col feature"]:
        """Patches from a table with one row per padded pixel."""
        flat = self.neighbours(indices).view(-1)
        side = self.patch_size
        return table.index_select(0, flat).view(len(indices), side, side, table.shape[1])

    def _corners(self, indices: Int[Tensor, " n"]) -> Int[Tensor, " n"]:
        # Row r, column c of the scene is the top left corner of its patch in the padded grid:
        # r * (n_cols + 2 * margin) + c.
        return indices + torch.div(indices, self.n_cols, rounding_mode="floor") * (2 * self.margin)


class PatchSource:
    """Standardised patches and spectra of a scene.

    Args:
        scene: The scene; it is read once, in strips of rows.
        standardiser: What each band is brought to zero mean and unit variance with.
        patch_size: Side of a patch in pixels, odd.
        border: What lies outside the scene: "zero" (the mean spectrum) or "reflect".
        device: Where the padded scene is kept and patches are made.
        whole_shape: Rows and columns of the scene that this one is a crop of, if it is one: a crop
            at the border may be smaller than a patch.
        double: Keep the values in double precision, as classical methods want them.
        features: How this scene was made, if its bands are features of another one. Nothing is
            done with it here; whoever stores a model needs it.
        expected: What a model expects of other scenes, where it is not this one that says so: of
            the one that its features were made of.

    Attributes:
        standardiser: What the bands were standardised with.
        features: How the scene was made, if its bands are features.
        border: What lies outside the scene.
        expected: What a model that learns from these patches expects of other scenes.
        grid: The geometry.
        table: The padded scene with one standardised spectrum per row. Pixels without data are 0,
            which is the mean.
        measured: Which pixels of the scene have data.

    Raises:
        InvalidInputError: If the patch size does not fit the scene, or the standardiser belongs
            to another number of bands.
        UnknownNameError: If the border is unknown.
    """

    def __init__(
        self,
        scene: Scene,
        standardiser: Standardiser,
        *,
        patch_size: int,
        border: str = "zero",
        device: torch.device | str = "cpu",
        whole_shape: tuple[int, int] | None = None,
        double: bool = False,
        features: FittedFeatures | None = None,
        expected: Expected | None = None,
    ) -> None:
        require_patch_size(patch_size, whole_shape or scene.shape[:2])
        if border not in BORDERS:
            raise unknown_name("border", border, BORDERS)
        self.standardiser = standardiser
        self.features = features
        self.border = border
        self.expected = expected or Expected.of(scene)
        self.grid = PatchGrid(scene.n_rows, scene.n_cols, patch_size, device=device)
        self.measured: Bool[np.ndarray, "row col"] = np.ones(scene.shape[:2], dtype=bool)
        dtype = torch.float64 if double else torch.float32
        padded = torch.zeros(*self.grid.padded_shape, standardiser.n_values, dtype=dtype)
        margin = self.grid.margin
        inside = padded[margin : margin + scene.n_rows, margin : margin + scene.n_cols]
        for window in row_blocks(scene):
            rows, _ = window.slices
            cube = scene.read(window)
            self.measured[rows] = scene.measured(cube)
            standardised = standardiser.apply(cube, double=double)
            standardised[~self.measured[rows]] = 0
            inside[rows] = torch.from_numpy(standardised)
        if border == "reflect":
            _reflect_into_margin(padded, margin)
        self.table: Float[Tensor, "padded band"] = padded.view(-1, standardiser.n_values).to(device)

    @property
    def n_bands(self) -> int:
        """Number of bands, or of the principal components that stand for them."""
        return self.table.shape[1]

    @property
    def patch_size(self) -> int:
        """Side of a patch in pixels."""
        return self.grid.patch_size

    def gather(self, indices: Int[Tensor, " n"]) -> Float[Tensor, "n row col band"]:
        """Patches around pixels that are given by their flat indices in the scene."""
        return self.grid.gather(self.table, indices)

    def pixels(self, indices: Int[Tensor, " n"]) -> Float[Tensor, "n band"]:
        """Spectra of pixels that are given by their flat indices in the scene."""
        return self.table.index_select(0, self.grid.centres(indices))

    def patch_pixel_indices(self, indices: Int[Tensor, " n"]) -> Int[Tensor, "n row col"]:
        """Rows of `table` that the patches around pixels consist of."""
        side = self.patch_size
        return self.grid.neighbours(indices).view(len(indices), side, side)


def require_patch_size(patch_size: int, scene_shape: tuple[int, int]) -> None:
    """Checks that patches have a centre pixel and are no larger than the scene.

    Raises:
        InvalidInputError: If the size is even, below 1, or above the scene's rows or columns.
    """
    require_odd(patch_size)
    n_rows, n_cols = scene_shape
    if patch_size > min(n_rows, n_cols):
        raise InvalidInputError(
            f"a patch must fit into the scene: the patch is {patch_size} x {patch_size} pixels, "
            f"the scene {n_rows} x {n_cols}; choose a smaller patch size"
        )


def _reflect_into_margin(padded: Float[Tensor, "row col band"], margin: int) -> None:
    last_row, last_col = padded.shape[0] - margin - 1, padded.shape[1] - margin - 1
    for step in range(1, margin + 1):
        padded[margin - step] = padded[margin + step]
        padded[last_row + step] = padded[last_row - step]
    for step in range(1, margin + 1):
        padded[:, margin - step] = padded[:, margin + step]
        padded[:, last_col + step] = padded[:, last_col - step]
