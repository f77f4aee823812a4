"""The model as a whole: how it is built, where gradients flow, what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch
from torch import nn

from pdml.embeddings.model import Model, ModelSpec, n_parameters
from pdml.embeddings.patch_model import require_bands
from pdml.errors import InvalidInputError, UnknownNameError
from pdml.losses.objective import Objective

N_BANDS, N_CLASSES = 20, 3
SMALL = {"n_kernels": 4, "n_spectral_features": 8}


def spec(**changes: Any) -> ModelSpec:
    values = {"patch_size": 3, "backbone_options": SMALL, "embedding_size": 6, **changes}
    return ModelSpec(n_bands=N_BANDS, n_classes=N_CLASSES, **values)


def batch(n: int = 6) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(n, 3, 3, N_BANDS, generator=generator), torch.arange(n) % N_CLASSES


def reached(head: str = "gaussian", **weights: float) -> dict[str, bool]:
    """Which parts of the network a loss with some weights moves."""
    torch.manual_seed(0)
    model = Model(spec(head=head))
    patches, labels = batch()
    embedding, logits = model(patches)
    terms = Objective(**weights)(  # type: ignore[arg-type]
        embedding, logits, labels, generator=torch.Generator().manual_seed(1)
    )
    terms.total.backward()
    parts: dict[str, nn.Module] = {"backbone": model.backbone, "classifier": model.classifier}
    if head == "gaussian":
        parts |= {"mean": model.head.mean, "variance": model.head.log_variance}  # type: ignore[dict-item]
    return {
        name: any(p.grad is not None and bool(p.grad.abs().sum() > 0) for p in part.parameters())
        for name, part in parts.items()
    }


def test_the_cross_entropy_moves_all_but_the_variance() -> None:
    assert reached(lambda_variance=0, lambda_pairs=0) == {
        "backbone": True, "classifier": True, "mean": True, "variance": False,
    }  # fmt: skip


def test_the_pair_loss_moves_all_but_the_classifier() -> None:
    assert reached(lambda_variance=0, lambda_classes=0) == {
        "backbone": True, "classifier": False, "mean": True, "variance": True,
    }  # fmt: skip


def test_the_variance_term_moves_neither_mean_nor_classifier() -> None:
    assert reached(lambda_pairs=0, lambda_classes=0, lap_form="paper") == {  # type: ignore[arg-type]
        "backbone": True, "classifier": False, "mean": False, "variance": True,
    }  # fmt: skip


def test_the_whole_objective_moves_everything() -> None:
    assert all(reached().values())


def test_a_model_is_two_stages_in_a_row() -> None:
    model = Model(spec()).eval()
    patches, _ = batch()
    features = model.backbone.spectra(patches.view(-1, N_BANDS)).view(6, 3, 3, -1)
    whole, staged = model(patches), model.from_spectra(features)
    torch.testing.assert_close(whole[0].mean, staged[0].mean)
    torch.testing.assert_close(whole[1], staged[1])


def test_a_point_head_embeds_with_the_features_of_the_backbone() -> None:
    model = Model(spec(head="point", classifier="pooled"))
    embedding, logits = model(batch()[0])
    assert embedding.log_variance is None
    assert embedding.mean.shape == (6, 3, 3, SMALL["n_kernels"])
    assert logits.shape == (6, N_CLASSES)


def test_start_sets_the_first_variance_of_a_gaussian_head_only() -> None:
    model = Model(spec())
    before = model.head.log_variance.bias.clone()  # type: ignore[union-attr, operator]
    model.start(batch()[0])
    assert not torch.equal(model.head.log_variance.bias, before)  # type: ignore[union-attr, arg-type]
    point = Model(spec(head="point"))
    weights = {name: value.clone() for name, value in point.state_dict().items()}
    point.start(batch()[0])
    assert all(torch.equal(value, weights[name]) for name, value in point.state_dict().items())


def test_a_specification_survives_json() -> None:
    stored = json.loads(json.dumps(spec(classifier="map").to_dict()))
    assert ModelSpec(**stored) == spec(classifier="map")


def test_the_classifier_over_the_map_grows_with_the_patch() -> None:
    centre, whole = (n_parameters(Model(spec(classifier=one))) for one in ("centre", "map"))
    assert whole - centre == (9 - 1) * 6 * N_CLASSES


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"backbone": "ssrm"}, "unknown backbone 'ssrm'; did you mean 'ssrn'?"),
        ({"head": "gausian"}, "unknown head 'gausian'; did you mean 'gaussian'?"),
        ({"classifier": "center"}, "unknown classifier 'center'; did you mean 'centre'?"),
        (
            {"backbone_options": {"n_kernel": 4}},
            "unknown option of ssrn 'n_kernel'; did you mean 'n_kernels'?",
        ),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        Model(spec(**changes))
    assert str(error.value) == message


def test_a_scene_with_other_bands_is_refused_with_both_numbers() -> None:
    model = Model(spec())
    require_bands(model, N_BANDS)
    with pytest.raises(InvalidInputError, match="the model has 20, the scene has 21;"):
        require_bands(model, 21)
