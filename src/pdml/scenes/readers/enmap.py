"""EnMAP L2A reflectance: a GeoTIFF of whole numbers beside an XML file that says what they mean.

Either of the two files can be named; both must lie in one folder under the names with which they
were delivered. Numbers become reflectance with gain and offset of each band; nodata stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from xml.etree.ElementTree import Element, fromstring

import numpy as np
from jaxtyping import Bool, Shaped

from pdml.errors import InvalidInputError, MissingFileError
from pdml.optional import require
from pdml.scenes.georeference import Georeference
from pdml.scenes.reader import READERS, StoredArray, reading
from pdml.scenes.scene import Scene
from pdml.scenes.window import Window

IMAGE, DESCRIPTION = "-SPECTRAL_IMAGE.TIF", "-METADATA.XML"
CUBE = "reflectance"
BACKGROUND = -32768.0
_ENTITY = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)


@dataclass(frozen=True)
class _Band:
    """What the description says of a band; numbers count from 1."""

    number: int
    wavelength_nm: float
    gain: float
    offset: float


@dataclass(frozen=True)
class EnmapSource:
    """The numbers of the image as reflectance."""

    path: Path
    shape: tuple[int, int, int]
    gains: tuple[float, ...]
    offsets: tuple[float, ...]
    nodata: float

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values once they are reflectance."""
        return np.dtype(np.float32)

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """The values inside a window."""
        rasterio = require("rasterio", extra="geo")
        rows, cols = window.slices
        with reading(self.path), rasterio.open(self.path) as file:
            stored = file.read(window=((rows.start, rows.stop), (cols.start, cols.stop)))
        cube = np.ascontiguousarray(np.moveaxis(stored, 0, 2))
        values = cube * np.array(self.gains, dtype=np.float32)
        values += np.array(self.offsets, dtype=np.float32)
        values[cube == self.nodata] = self.nodata
        return values


@READERS.register
class EnmapReader:
    """Reads `-SPECTRAL_IMAGE.TIF` and `-METADATA.XML` of EnMAP."""

    suffixes: ClassVar[tuple[str, ...]] = (IMAGE.lower(), DESCRIPTION.lower())

    def stored(self, path: Path) -> list[StoredArray]:
        """The cube of the image."""
        rasterio = require("rasterio", extra="geo")
        with rasterio.open(_beside(path, IMAGE)) as file:
            return [StoredArray(CUBE, (file.height, file.width, file.count), "float32")]

    def scene(self, path: Path, name: str) -> Scene:
        """The cube as a scene, read later."""
        rasterio = require("rasterio", extra="geo")
        image, description = _beside(path, IMAGE), _beside(path, DESCRIPTION)
        root = _parsed(description)
        bands = _bands(root)
        with rasterio.open(image) as file:
            shape = (file.height, file.width, file.count)
            nodata = _background(root) if file.nodata is None else float(file.nodata)
            place = Georeference(tuple(file.transform)[:6], file.crs.to_wkt() if file.crs else "")
        if len(bands) != shape[2]:
            raise InvalidInputError(
                f"'{description}' must describe the {shape[2]} bands of '{image.name}', it "
                f"describes {len(bands)}; copy or download both files of the product again"
            )
        gains, offsets = tuple(band.gain for band in bands), tuple(band.offset for band in bands)
        return Scene(
            EnmapSource(image, shape, gains, offsets, nodata),
            name=image.name[: -len(IMAGE)],
            wavelengths_nm=np.array([band.wavelength_nm for band in bands]),
            good_bands=_expected(root, bands),
            nodata=nodata,
            georeference=place,
            about={"sensor": "EnMAP"},
        )

    def image(self, path: Path, name: str) -> Shaped[np.ndarray, "row col"]:
        """The one band of a cube that has no more."""
        return self.scene(path, name).read()[..., 0]


def _beside(path: Path, ending: str) -> Path:
    """The file of the same product with another ending, whatever the case of its letters."""
    own = next(known for known in (IMAGE, DESCRIPTION) if path.name.lower().endswith(known.lower()))
    wanted = f"{path.name[: -len(own)]}{ending}"
    for file in path.parent.iterdir():
        if file.name.lower() == wanted.lower():
            return file
    raise MissingFileError(
        f"an EnMAP product needs '{wanted}' beside '{path.name}', there is none in "
        f"'{path.parent}'; put both files of the product into one folder"
    )


def _parsed(path: Path) -> Element:
    stored = path.read_bytes()
    if _ENTITY.search(stored):  # which could be made to grow without end
        raise InvalidInputError(
            f"'{path}' must be plain XML as EnMAP delivers it, it defines entities of its own; "
            "copy or download it again"
        )
    with reading(path):
        return fromstring(stored)


def _bands(root: Element) -> list[_Band]:
    """The bands in the order of the image."""
    described = [
        _Band(
            int(item.get("number", "0")),
            float(item.findtext("wavelengthCenterOfBand", "nan")),
            float(item.findtext("GainOfBand") or 1),
            float(item.findtext("OffsetOfBand") or 0),
        )
        for item in root.findall("specific/bandCharacterisation/bandID")
    ]
    return sorted(described, key=lambda band: band.number)


def _expected(root: Element, bands: list[_Band]) -> Bool[np.ndarray, " band"] | None:
    """Bands among the channels that the product says it has; None where it does not say."""
    listed = [item.text for item in root.iter("expectedChannelsList") if item.text]
    if not listed:
        return None
    channels = {int(number) for text in listed for number in text.split(",")}
    return np.array([band.number in channels for band in bands])


def _background(root: Element) -> float:
    text = root.findtext("specific/backgroundValue")
    return BACKGROUND if text is None else float(text)
