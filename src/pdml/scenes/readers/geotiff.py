"""GeoTIFF, cloud-optimised or not, through GDAL."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
from jaxtyping import Shaped

from pdml.scenes.gdal_scene import gdal_arrays, gdal_image, gdal_scene
from pdml.scenes.reader import READERS, StoredArray
from pdml.scenes.scene import Scene


@READERS.register
class GeotiffReader:
    """Reads `.tif` and `.tiff`."""

    suffixes: ClassVar[tuple[str, ...]] = (".tif", ".tiff")

    def stored(self, path: Path) -> list[StoredArray]:
        """The bands as one cube, named after the file."""
        return gdal_arrays(path)

    def scene(self, path: Path, name: str) -> Scene:
        """The cube as a scene, with what the file knows of its bands and its place."""
        return gdal_scene(path, name)

    def image(self, path: Path, name: str) -> Shaped[np.ndarray, "row col"]:
        """The first band."""
        return gdal_image(path, name)
