"""Small scenes with a place on earth, and files of polygons and rasters to label them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import rasterio
import shapely
from affine import Affine
from jaxtyping import Shaped
from rasterio.crs import CRS
from rasterio.errors import NotGeoreferencedWarning
from rasterio.warp import transform_geom

from pdml.scenes.georeference import Georeference, Transform
from pdml.scenes.scene import Scene

UTM = "EPSG:32633"
CORNER = (500_000.0, 5_000_000.0)
TEN_METRES: Transform = (10.0, 0.0, CORNER[0], 0.0, -10.0, CORNER[1])


def scene_on_earth(
    n_rows: int,
    n_cols: int,
    *,
    crs: str = UTM,
    transform: Transform = TEN_METRES,
    cube: Shaped[np.ndarray, "row col band"] | None = None,
    **known: Any,
) -> Scene:
    """A scene of 10 m pixels whose top left corner is `CORNER`."""
    if cube is None:
        cube = np.random.default_rng(0).random((n_rows, n_cols, 3))
    wkt = CRS.from_user_input(crs).to_wkt() if crs else ""
    return Scene.from_array(cube, name="land", georeference=Georeference(transform, wkt), **known)


def field(row: float, col: float, height: float, width: float) -> shapely.Polygon:
    """A rectangle in UTM from pixel coordinates of `TEN_METRES`."""
    (left, top), (right, bottom) = place(row, col), place(row + height, col + width)
    return shapely.box(left, bottom, right, top)


def place(row: float, col: float) -> tuple[float, float]:
    """Map coordinates of a place that is given in rows and columns of `TEN_METRES`."""
    return CORNER[0] + 10 * col, CORNER[1] - 10 * row


def write_features(
    path: Path,
    geometries: Sequence[shapely.Geometry | None],
    fields: Mapping[str, Sequence[object]],
    *,
    crs: str | None = UTM,
    drawn_in: str = UTM,
    **options: Any,
) -> Path:
    """Writes features, reprojected one by one from UTM to the file's CRS."""
    if crs is not None and crs != drawn_in:
        geometries = [
            shapely.geometry.shape(transform_geom(drawn_in, crs, shapely.geometry.mapping(one)))
            for one in geometries
        ]
    kinds = {one.geom_type for one in geometries if one is not None}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "'crs' was not provided")
        pyogrio.raw.write(
            path,
            shapely.to_wkb(np.array(geometries, dtype=object)),
            [_column(values) for values in fields.values()],
            list(fields),
            geometry_type=kinds.pop() if len(kinds) == 1 else "Unknown",
            crs=crs,
            **options,
        )
    return path


def _column(values: Sequence[object]) -> Shaped[np.ndarray, " n"]:
    is_text = any(isinstance(value, str) for value in values)
    return np.array(values, dtype=object if is_text else None)


def write_raster(
    path: Path,
    codes: Shaped[np.ndarray, "row col"],
    *,
    transform: Transform | None = TEN_METRES,
    crs: str | None = UTM,
    nodata: float | None = None,
    names: Sequence[str] = (),
    colours: Mapping[int, tuple[int, int, int]] | None = None,
) -> Path:
    """Writes a label raster, with category names and a colour table where they are given."""
    place_on_earth = {"transform": Affine(*transform), "crs": crs} if transform else {}
    with (
        _without_warning(),
        rasterio.open(
            path,
            "w",
            driver="GTiff",
            height=codes.shape[0],
            width=codes.shape[1],
            count=1,
            dtype=codes.dtype,
            nodata=nodata,
            **place_on_earth,
        ) as file,
    ):
        file.write(codes, 1)
        if colours:
            file.write_colormap(1, colours)
    if names:
        listed = "".join(f"<Category>{name}</Category>" for name in names)
        path.with_name(f"{path.name}.aux.xml").write_text(
            f'<PAMDataset><PAMRasterBand band="1"><CategoryNames>{listed}</CategoryNames>'
            "</PAMRasterBand></PAMDataset>",
            encoding="utf-8",
        )
    return path


def write_cube(
    path: Path,
    cube: Shaped[np.ndarray, "row col *band"],
    *,
    transform: Transform | None = TEN_METRES,
    crs: str | None = UTM,
    nodata: float | None = None,
    driver: str = "GTiff",
    describe: Callable[[Any], None] = lambda _: None,
    **creation: Any,
) -> Path:
    """Writes a scene with a driver of GDAL; `describe` may add what it likes to the open file."""
    bands = np.moveaxis(np.atleast_3d(cube), 2, 0)
    place_on_earth = {"transform": Affine(*transform), "crs": crs} if transform else {}
    with (
        _without_warning(),
        rasterio.open(
            path,
            "w",
            driver=driver,
            height=bands.shape[1],
            width=bands.shape[2],
            count=bands.shape[0],
            dtype=cube.dtype,
            nodata=nodata,
            **place_on_earth,
            **creation,
        ) as file,
    ):
        describe(file)
        file.write(bands)
    return path


@contextmanager
def _without_warning() -> Iterator[None]:
    """A raster without a georeference is meant to have none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        yield
