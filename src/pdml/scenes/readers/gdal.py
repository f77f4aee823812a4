"""Any other raster that GDAL opens: virtual ones, Erdas Imagine, JPEG 2000, NITF and many more."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
from jaxtyping import Shaped

from pdml.scenes.gdal_scene import gdal_arrays, gdal_image, gdal_scene
from pdml.scenes.reader import READERS, StoredArray
from pdml.scenes.scene import Scene


@READERS.register
class GdalReader:
    """Reads `.vrt`, `.img`, `.jp2`, `.ntf`, `.pix`, `.ers` and more."""

    suffixes: ClassVar[tuple[str, ...]] = (
        ".vrt", ".img", ".jp2", ".j2k", ".ntf", ".nitf", ".pix", ".ers", ".cub", ".lbl", ".kea",
        ".grd", ".asc", ".png", ".jpg", ".jpeg",
    )  # fmt: skip

    def stored(self, path: Path) -> list[StoredArray]:
        """The bands as one cube, or the parts of a file that has several."""
        return gdal_arrays(path)

    def scene(self, path: Path, name: str) -> Scene:
        """The cube as a scene, with what the file knows of its bands and its place."""
        return gdal_scene(path, name)

    def image(self, path: Path, name: str) -> Shaped[np.ndarray, "row col"]:
        """The first band."""
        return gdal_image(path, name)
