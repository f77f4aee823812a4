"""EnMAP L2A reflectance: a GeoTIFF of whole numbers beside an XML file that says what they mean.

Either of the two files can be named; both must lie in one folder under the names with which they
were delivered. Numbers become reflectance with gain and offset of each band; nodata stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from xml.etree.ElementTree import Element, fromstring

import numpy as np
from jaxtyping import Bool, Shaped

from pdml.errors import InvalidInputError, MissingFileError
from pdml.scenes.calibrated import calibrated
from pdml.scenes.gdal_scene import gdal_arrays, gdal_scene
from pdml.scenes.reader import READERS, StoredArray, reading
from pdml.scenes.scene import Scene

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


@READERS.register
class EnmapReader:
    """Reads `-SPECTRAL_IMAGE.TIF` and `-METADATA.XML` of EnMAP."""

    suffixes: ClassVar[tuple[str, ...]] = (IMAGE.lower(), DESCRIPTION.lower())

    def stored(self, path: Path) -> list[StoredArray]:
        """The cube of the image."""
        (array,) = gdal_arrays(_beside(path, IMAGE))
        return [StoredArray(CUBE, array.shape, "float32")]

    def scene(self, path: Path, name: str) -> Scene:
        """The cube as a scene, read later."""
        image, description = _beside(path, IMAGE), _beside(path, DESCRIPTION)
        root = _parsed(description)
        bands = _bands(root)
        numbers = gdal_scene(image, image.stem)
        if len(bands) != numbers.n_bands:
            raise InvalidInputError(
                f"'{description}' must describe the {numbers.n_bands} bands of '{image.name}', it "
                f"describes {len(bands)}; copy or download both files of the product again"
            )
        mark = _background(root) if numbers.nodata is None else numbers.nodata
        source, nodata = calibrated(
            numbers.source,
            scales=[band.gain for band in bands],
            offsets=[band.offset for band in bands],
            missing=[mark] * len(bands),
        )
        return Scene(
            source,
            name=image.name[: -len(IMAGE)],
            wavelengths_nm=np.array([band.wavelength_nm for band in bands]),
            good_bands=_expected(root, bands),
            nodata=nodata,
            georeference=numbers.georeference,
            unit="reflectance",
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
