"""Where the pixels of a raster are."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.scenes.crop import crop
from pdml.scenes.georeference import Georeference
from pdml.scenes.scene import Scene
from pdml.scenes.window import Window

UTM = Georeference((30.0, 0.0, 500_000.0, 0.0, -30.0, 4_500_000.0), crs="EPSG:32616")
TURNED = Georeference((0.0, 2.0, 10.0, 2.0, 0.0, 20.0))


def test_the_corner_of_the_first_pixel_is_the_origin() -> None:
    assert UTM.xy(0, 0) == (500_000.0, 4_500_000.0)


def test_rows_go_south_and_columns_go_east() -> None:
    assert UTM.xy(row=2, col=3) == (500_090.0, 4_499_940.0)


def test_a_crop_keeps_each_pixel_where_it_was() -> None:
    scene = Scene.from_array(np.zeros((5, 6, 2)), georeference=TURNED)
    part = crop(scene, Window(1, 4, 2, 6)).georeference
    assert part is not None
    assert part.xy(0, 0) == TURNED.xy(1, 2)
    assert part.xy(2, 3) == TURNED.xy(3, 5)
    assert part.crs == TURNED.crs


@pytest.mark.parametrize(
    ("georeference", "bounds"),
    [(UTM, (500_000.0, 4_499_700.0, 500_600.0, 4_500_000.0)), (TURNED, (10.0, 20.0, 30.0, 60.0))],
    ids=["north is up", "turned by a quarter"],
)
def test_bounds_hold_all_four_corners(
    georeference: Georeference, bounds: tuple[float, float, float, float]
) -> None:
    assert georeference.bounds((10, 20)) == bounds
