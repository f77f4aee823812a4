"""Miniatures of satellite products: the same groups, names, orders and attributes, a few pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import h5py
import numpy as np
import rasterio
from affine import Affine
from jaxtyping import Int, Shaped
from rasterio.crs import CRS

Cube = Shaped[np.ndarray, "row col band"]
WGS84 = CRS.from_epsg(4326).to_wkt()
EMIT_CORNER = (12.5, 48.25)
EMIT_PIXEL = 0.000542232520256367
FIELDS = "HDFEOS/SWATHS/PRS_L2D_HCO/Data Fields"
SCALE = {"Vnir": (0.02, 1.25), "Swir": (0.01, 0.95)}


def write_emit(
    path: Path,
    cube: Cube,
    *,
    glt: tuple[Int[np.ndarray, "y x"], Int[np.ndarray, "y x"]] | None = None,
    good: Sequence[int] | None = None,
) -> None:
    """EMIT L2A as its NetCDF is seen through HDF5.

    Args:
        path: The file.
        cube: Values on the sensor's grid (downtrack, crosstrack, bands).
        glt: Column and row of the sensor for each pixel of the map, from 1, 0 for none.
        good: 1 or 0 for each band.
    """
    n_rows, n_cols, n_bands = cube.shape
    with h5py.File(path, "w") as file:
        stored = file.create_dataset(
            "reflectance", data=cube, chunks=(4, 3, n_bands), compression="gzip"
        )
        stored.attrs["_FillValue"] = np.array([-9999], dtype=cube.dtype if _is_real(cube) else "f4")
        bands = file.create_group("sensor_band_parameters")
        bands["wavelengths"] = np.linspace(381, 2493, n_bands).astype(np.float32)
        bands["fwhm"] = np.full(n_bands, 8.5, dtype=np.float32)
        bands["good_wavelengths"] = np.ones(n_bands) if good is None else np.array(good, float)
        if glt is None:
            return
        location = file.create_group("location")
        location["glt_x"], location["glt_y"] = (part.astype(np.int32) for part in glt)
        location["lon"] = location["lat"] = np.zeros((n_rows, n_cols))
        left, top = EMIT_CORNER
        file.attrs["geotransform"] = [left, EMIT_PIXEL, -0.0, top, -0.0, -EMIT_PIXEL]
        file.attrs["spatial_ref"] = WGS84


def _is_real(cube: Cube) -> bool:
    return bool(cube.dtype.kind == "f")


def write_prisma(
    path: Path,
    numbers: Cube,
    *,
    n_vnir: int,
    missing: Sequence[int] = (),
    scale: Mapping[str, tuple[float, float]] = SCALE,
) -> None:
    """PRISMA L2D: numbers of (row, col, band) with rising wavelengths, VNIR first.

    Args:
        path: The file.
        numbers: 16-bit numbers of the bands that were transmitted.
        n_vnir: How many bands are those of VNIR.
        missing: Places, among the stored VNIR bands, of bands that were not transmitted.
        scale: Reflectance of the numbers 0 and 65535 by spectrometer.
    """
    n_rows, n_cols, n_bands = numbers.shape
    cubes = {"Vnir": numbers[..., :n_vnir], "Swir": numbers[..., n_vnir:]}
    centres = {
        "Vnir": np.linspace(402, 977, n_vnir),
        "Swir": np.linspace(943, 2497, n_bands - n_vnir),
    }
    with h5py.File(path, "w") as file:
        for name, cube in cubes.items():
            stored, nm = cube.transpose(0, 2, 1)[:, ::-1], centres[name][::-1]
            gaps = list(missing) if name == "Vnir" else []
            for gap in gaps:
                stored, nm = np.insert(stored, gap, 0, axis=1), np.insert(nm, gap, 0.0)
            file[f"{FIELDS}/{name.upper()}_Cube"] = stored
            file[f"{FIELDS}/{name.upper()}_PIXEL_L2_ERR_MATRIX"] = np.zeros(stored.shape, np.uint8)
            file.attrs[f"List_Cw_{name}"] = nm.astype(np.float32)
            file.attrs[f"List_Cw_{name}_Flags"] = (nm > 0).astype(np.uint8)
            low, high = scale[name]
            file.attrs[f"L2Scale{name}Min"], file.attrs[f"L2Scale{name}Max"] = (
                np.float32(low),
                np.float32(high),
            )
        file.attrs["Epsg_Code"] = np.int64(32633)
        file.attrs["Product_ULcorner_easting"] = np.float32(600_015)
        file.attrs["Product_ULcorner_northing"] = np.float32(5_299_985)
        file.attrs["Product_LRcorner_easting"] = np.float32(600_015 + 30 * (n_cols - 1))
        file.attrs["Product_LRcorner_northing"] = np.float32(5_299_985 - 30 * (n_rows - 1))


def write_enmap(
    image: Path,
    numbers: Cube,
    *,
    gain: float = 0.0001,
    offset: float = 0.0,
    unexpected: Sequence[int] = (),
    n_described: int | None = None,
) -> None:
    """EnMAP L2A: the image and its description beside it.

    Args:
        image: The image; its name ends in `-SPECTRAL_IMAGE.TIF`.
        numbers: 16-bit numbers.
        gain: Gain of all bands.
        offset: Offset of all bands.
        unexpected: Bands, from 1, that are in no list of expected channels.
        n_described: Bands that the description describes; all when None.
    """
    n_rows, n_cols, n_bands = numbers.shape
    with rasterio.open(
        image,
        "w",
        driver="GTiff",
        height=n_rows,
        width=n_cols,
        count=n_bands,
        dtype=numbers.dtype,
        nodata=-32768 if numbers.dtype == np.int16 else None,
        crs="EPSG:32633",
        transform=Affine(30, 0, 600_000, 0, -30, 5_300_000),
        compress="deflate",
    ) as file:
        file.write(np.moveaxis(numbers, 2, 0))
    centres = np.linspace(418, 2445, n_described or n_bands)
    bands = "".join(
        f'<bandID number="{number}"><wavelengthCenterOfBand>{nm:.4f}</wavelengthCenterOfBand>'
        f"<FWHMOfBand>6.9</FWHMOfBand><GainOfBand>{gain}</GainOfBand>"
        f"<OffsetOfBand>{offset}</OffsetOfBand></bandID>"
        for number, nm in enumerate(centres, start=1)
    )
    expected = [number for number in range(1, n_bands + 1) if number not in unexpected]
    half = len(expected) // 2
    lists = "".join(
        f"<{name}ProductQuality><expectedChannelsList>{','.join(map(str, some))}"
        f"</expectedChannelsList></{name}ProductQuality>"
        for name, some in (("vnir", expected[:half]), ("swir", expected[half:]))
    )
    ending = "-SPECTRAL_IMAGE.TIF"
    product = image.name[: -len(ending)]
    description = image.with_name(
        f"{product}-METADATA.XML" if image.name.endswith(ending) else f"{product}-metadata.xml"
    )
    description.write_text(
        f"<level_X><metadata><comment>{escape(product)}</comment></metadata><specific>"
        f"<backgroundValue>-32768</backgroundValue>{lists}"
        f"<bandCharacterisation>{bands}</bandCharacterisation></specific></level_X>",
        encoding="utf-8",
    )
