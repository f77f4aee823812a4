"""A map is the patch-wise prediction of every pixel, whatever the tiles."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from pdml.embeddings.model import Model, ModelSpec
from pdml.errors import InvalidInputError
from pdml.inference.bundle import Bundle, make_bundle
from pdml.inference.mapper import map_scene
from pdml.patches.normalise import fit_standardiser
from pdml.patches.source import PatchSource
from pdml.scenes.scene import Scene

N_ROWS, N_COLS, N_BANDS = 13, 11, 20
NODATA = -9999.0


def scene_of(n_rows: int = N_ROWS, n_cols: int = N_COLS, n_bands: int = N_BANDS) -> Scene:
    cube = np.random.default_rng(0).normal(3, 2, (n_rows, n_cols, n_bands)).astype(np.float32)
    return Scene.from_array(cube, nodata=NODATA)


def bundle_of(scene: Scene, border: str = "zero", head: str = "gaussian") -> Bundle:
    torch.manual_seed(0)
    spec = ModelSpec(
        n_bands=scene.n_bands,
        n_classes=3,
        patch_size=5,
        backbone_options={"n_kernels": 4, "n_spectral_features": 8},
        head=head,
        embedding_size=6,
        classifier="map" if head == "gaussian" else "pooled",
    )
    source = PatchSource(scene, fit_standardiser(scene), patch_size=5, border=border)
    return make_bundle(Model(spec).eval(), source, ("a", "b", "c"))


@torch.no_grad()
def patch_by_patch(bundle: Bundle, scene: Scene) -> np.ndarray:
    """Probabilities of every pixel from whole patches, one at a time."""
    source = PatchSource(scene, bundle.standardiser, patch_size=5, border=bundle.border)
    return np.stack(
        [
            bundle.model(source.gather(torch.tensor([i])))[1].softmax(1)[0].numpy()
            for i in range(scene.n_rows * scene.n_cols)
        ]
    ).reshape(scene.n_rows, scene.n_cols, -1)


@pytest.mark.parametrize("border", ["zero", "reflect"])
@pytest.mark.parametrize("tile_pixels", [1, 2, 4, 11, 12, 512])
def test_tiles_of_any_size_give_the_patch_wise_prediction(border: str, tile_pixels: int) -> None:
    scene = scene_of()
    bundle = bundle_of(scene, border)
    found = map_scene(bundle, scene, tile_pixels=tile_pixels)
    np.testing.assert_allclose(found.probability, patch_by_patch(bundle, scene), atol=1e-5)


@pytest.mark.parametrize("n_rows", [10, 11, 12])
def test_a_last_tile_narrower_than_a_patch_is_mapped(n_rows: int) -> None:
    scene = scene_of(n_rows)
    bundle = bundle_of(scene)
    found = map_scene(bundle, scene, tile_pixels=9)
    np.testing.assert_allclose(found.probability, patch_by_patch(bundle, scene), atol=1e-5)


def test_pixels_without_data_have_no_class() -> None:
    scene = scene_of()
    bundle = bundle_of(scene)
    cube = scene.read().copy()
    cube[2:4, 5] = NODATA
    found = map_scene(bundle, Scene.from_array(cube, nodata=NODATA), tile_pixels=6)
    missing = np.zeros((N_ROWS, N_COLS), dtype=bool)
    missing[2:4, 5] = True
    np.testing.assert_array_equal(found.measured, ~missing)
    assert (found.classes[missing] == -1).all()
    assert (found.probability[missing] == 0).all()
    np.testing.assert_allclose(found.probability[~missing].sum(axis=1), 1, atol=1e-5)


def test_the_variance_is_that_of_the_centre_and_absent_without_one() -> None:
    scene = scene_of()
    assert map_scene(bundle_of(scene, head="point"), scene).embedding_variance is None
    bundle = bundle_of(scene)
    source = PatchSource(scene, bundle.standardiser, patch_size=5)
    with torch.no_grad():
        embedding, _ = bundle.model(source.gather(torch.tensor([5 * N_COLS + 3])))
    expected = float(embedding.variance[0, 2, 2].mean())
    found = map_scene(bundle, scene).embedding_variance
    assert found is not None
    assert float(found[5, 3]) == pytest.approx(expected, rel=1e-4)


def test_progress_ends_at_the_number_of_pixels() -> None:
    calls: list[tuple[int, int]] = []
    scene = scene_of()
    map_scene(bundle_of(scene), scene, tile_pixels=6, on_tile=lambda *done: calls.append(done))
    assert [total for _, total in calls] == [N_ROWS * N_COLS] * 6
    assert calls[-1][0] == N_ROWS * N_COLS


def test_progress_is_told_within_a_tile_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pdml.inference.mapper.PIXELS_BETWEEN_REPORTS", 300)
    scene = scene_of(40, 50)
    calls: list[tuple[int, int]] = []
    map_scene(bundle_of(scene), scene, tile_pixels=40, on_tile=lambda *done: calls.append(done))
    done = [n for n, _ in calls]
    assert done == sorted(set(done))
    assert {1600, 2000} <= set(done)  # the ends of both tiles
    assert len(done) >= 5


def test_a_scene_with_other_bands_is_refused_with_both_numbers() -> None:
    with pytest.raises(InvalidInputError, match="the model has 20, the scene has 21"):
        map_scene(bundle_of(scene_of()), scene_of(n_bands=21))


def test_a_scene_smaller_than_a_patch_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="patch is 5 x 5 pixels, the scene 4 x 11"):
        map_scene(bundle_of(scene_of()), scene_of(4))
