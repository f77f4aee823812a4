"""What every registered attention module must do."""

from __future__ import annotations

import pytest
import torch

from pdml.embeddings.attention import ATTENTIONS, AttendedBackbone, Attention
from pdml.embeddings.backbone import BACKBONES
from pdml.embeddings.model import Model, ModelSpec
from pdml.embeddings.predict import predict_pixels
from pdml.errors import UnknownNameError
from pdml.patches.normalise import fit_standardiser
from pdml.patches.source import PatchSource
from pdml.scenes.scene import Scene
from tests.contracts.test_backbones import patch_size

SMALLEST = 0
PER_NAME = pytest.mark.parametrize("name", ATTENTIONS.names())


def build(name: str, n_features: int = 12) -> Attention:
    torch.manual_seed(0)
    return ATTENTIONS.get(name)(n_features=n_features)


def features(n: int = 5, side: int = 5) -> torch.Tensor:
    return torch.randn(n, 12, side, side, generator=torch.Generator().manual_seed(1))


@PER_NAME
@pytest.mark.parametrize("side", [1, 3, 7])
def test_each_feature_is_weighed_by_a_number_from_0_to_1(name: str, side: int) -> None:
    x = features(side=side)
    weighed = build(name)(x)
    assert weighed.shape == x.shape
    share = weighed / x
    assert share.min() > 0
    assert share.max() < 1
    assert share.std() > 0


@PER_NAME
def test_gradients_are_finite_and_reach_every_weight(name: str) -> None:
    module = build(name)
    torch.autograd.backward(module(features()).square().sum())
    for parameter in module.parameters():
        assert parameter.grad is not None
        assert torch.isfinite(parameter.grad).all()
        assert parameter.grad.any()


@PER_NAME
def test_a_patch_is_weighed_without_regard_to_its_batch(name: str) -> None:
    module, x = build(name), features()
    alone = torch.cat([module(patch[None]) for patch in x])
    torch.testing.assert_close(module(x), alone)


@PER_NAME
@pytest.mark.parametrize("backbone", BACKBONES.names())
def test_it_can_be_switched_into_any_backbone_and_maps_alike_both_ways(
    name: str, backbone: str
) -> None:
    size = patch_size(backbone, SMALLEST)
    scene = Scene.from_array(torch.randn(9, 10, 20, generator=torch.Generator()).numpy())
    source = PatchSource(scene, fit_standardiser(scene), patch_size=size)
    torch.manual_seed(0)
    spec = ModelSpec(20, 3, patch_size=size, backbone=backbone, attention=name, head_kernel=1)
    model = Model(spec).eval()
    assert isinstance(model.backbone, AttendedBackbone)
    indices = torch.arange(0, 90, 7)
    with torch.no_grad():
        _, logits = model(source.gather(indices))
    mapped = predict_pixels(model, source, indices).probability
    torch.testing.assert_close(mapped, logits.softmax(1), rtol=1e-5, atol=1e-5)


def test_an_unknown_attention_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown attention 'cbm'; did you mean 'cbam'"):
        Model(ModelSpec(20, 3, attention="cbm"))
