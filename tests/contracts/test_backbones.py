"""What every registered backbone must do."""

from __future__ import annotations

import inspect
import itertools

import numpy as np
import pytest
import torch

from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.embeddings.model import Model, ModelSpec
from pdml.embeddings.predict import predict_pixels
from pdml.errors import InvalidInputError
from pdml.patches.normalise import fit_standardiser
from pdml.patches.source import PatchSource
from pdml.scenes.scene import Scene

BAND_COUNTS = (30, 64, 103)
SMALL_AND_LARGER = (0, 1)
"""Which of the smallest patches whose map has a centre pixel."""


@pytest.fixture(params=BACKBONES.names())
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def build(name: str, n_bands: int, size: int = 11) -> Backbone:
    torch.manual_seed(0)
    kind = BACKBONES.get(name)
    return kind(n_bands=n_bands, **({"patch_size": size} if kind.sized else {}))


def patch_size(name: str, number: int) -> int:
    """The smallest patches of 3 x 3 pixels and more whose map has a centre pixel."""
    backbone = build(name, 30)
    fitting = (size for size in range(3, 26, 2) if backbone.output_size(size) % 2 == 1)
    return next(itertools.islice(fitting, number, None))


def patches_of(n: int, size: int, n_bands: int) -> torch.Tensor:
    return torch.randn(n, size, size, n_bands, generator=torch.Generator().manual_seed(1))


def test_bands_and_options_are_keyword_only_and_options_have_defaults(name: str) -> None:
    parameters = dict(inspect.signature(BACKBONES.get(name)).parameters)
    assert all(one.kind is one.KEYWORD_ONLY for one in parameters.values())
    assert parameters.pop("n_bands").default is inspect.Parameter.empty
    if BACKBONES.get(name).sized:
        assert parameters.pop("patch_size").default % 2 == 1
    assert set(parameters) == set(BACKBONES.get(name).options)
    assert all(one.default is not one.empty for one in parameters.values())


@pytest.mark.parametrize("n_bands", BAND_COUNTS)
@pytest.mark.parametrize("number", SMALL_AND_LARGER)
def test_a_patch_becomes_a_map_of_the_stated_size_and_all_is_finite(
    name: str, n_bands: int, number: int
) -> None:
    size = patch_size(name, number)
    backbone = build(name, n_bands, size)
    left = backbone.output_size(size)
    patches = patches_of(4, size, n_bands).requires_grad_()
    features = backbone(patches)
    assert features.shape == (4, backbone.n_features, left, left)
    assert torch.isfinite(features).all()
    generator = torch.Generator().manual_seed(2)
    (features * torch.randn(features.shape, generator=generator)).sum().backward()
    for part in (patches, *backbone.parameters()):
        assert part.grad is not None
        assert torch.isfinite(part.grad).all()
    assert patches.grad is not None
    assert patches.grad.abs().sum() > 0


@pytest.mark.parametrize("number", SMALL_AND_LARGER)
def test_a_patch_is_evaluated_without_regard_to_its_batch(name: str, number: int) -> None:
    size = patch_size(name, number)
    backbone = build(name, 30, size)
    patches = patches_of(5, size, 30)
    backbone(patches)  # moves running statistics away from their first values
    backbone.eval()
    with torch.no_grad():
        together = backbone(patches)
        alone = torch.cat([backbone(patch[None]) for patch in patches])
    largest = float(together.abs().max().clamp_min(1))
    torch.testing.assert_close(together / largest, alone / largest, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("number", SMALL_AND_LARGER)
@pytest.mark.parametrize("border", ["zero", "reflect"])
def test_a_scene_mapped_in_two_stages_equals_its_patches_up_to_the_border(
    name: str, number: int, border: str
) -> None:
    size = patch_size(name, number)
    n_rows, n_cols, n_bands = 9, 10, 30
    scene = Scene.from_array(np.random.default_rng(0).normal(size=(n_rows, n_cols, n_bands)))
    source = PatchSource(scene, fit_standardiser(scene), patch_size=size, border=border)
    torch.manual_seed(0)
    spec = ModelSpec(
        n_bands,
        4,
        patch_size=size,
        backbone=name,
        classifier="map",
        embedding_size=8,
        head_kernel=1,
    )
    model = Model(spec)
    indices = torch.arange(n_rows * n_cols)
    with torch.no_grad():
        model(source.gather(indices[:20]))  # moves running statistics
    prediction = predict_pixels(model, source, indices)
    with torch.no_grad():
        embedding, logits = model.eval()(source.gather(indices))
    middle = model.map_size // 2
    torch.testing.assert_close(prediction.probability, logits.softmax(1), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(
        prediction.mean, embedding.mean[:, middle, middle], rtol=1e-5, atol=1e-5
    )


def test_another_number_of_bands_is_refused_with_both_numbers(name: str) -> None:
    backbone = build(name, 30)
    with pytest.raises(InvalidInputError, match="built for 30 bands, got patches with 31;"):
        backbone(patches_of(2, 3, 31))
