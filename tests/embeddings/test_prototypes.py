"""Prototype classifiers: nearest prototypes by hand, and means of classes by a loop."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdml.embeddings.model import Model, ModelSpec
from pdml.embeddings.prototypes import MEMORY, SCALE_OF_COSINES, PrototypeClassifier
from pdml.errors import UnknownNameError

SIDE, SIZE, N_CLASSES = 3, 4, 3


def means(n: int = 6) -> Tensor:
    return torch.randn(n, SIDE, SIDE, SIZE, generator=torch.Generator().manual_seed(0))


def seen_by(sees: str, mean: Tensor) -> Tensor:
    return {
        "centre": mean[:, 1, 1],
        "map": mean.reshape(len(mean), -1),
        "pooled": mean.mean((1, 2)),
    }[sees]


def classifier(similarity: str, sees: str = "centre") -> PrototypeClassifier:
    torch.manual_seed(1)
    size = SIZE * SIDE**2 if sees == "map" else SIZE
    return PrototypeClassifier(size, N_CLASSES, sees=sees, similarity=similarity)


@pytest.mark.parametrize("sees", ["centre", "map", "pooled"])
def test_the_angle_decides_whatever_the_lengths(sees: str) -> None:
    by_angle = classifier("cosine", sees)
    mean = means()
    logits = by_angle(mean)
    for row, point in zip(logits, seen_by(sees, mean), strict=True):
        for value, prototype in zip(row, by_angle.prototypes, strict=True):
            cosine = point @ prototype / (point.norm() * prototype.norm())
            torch.testing.assert_close(value, SCALE_OF_COSINES * cosine)
    torch.testing.assert_close(by_angle(7 * mean), logits)


@pytest.mark.parametrize("sees", ["centre", "map", "pooled"])
def test_the_nearest_prototype_has_the_highest_score(sees: str) -> None:
    by_distance = classifier("distance", sees)
    mean = means()
    distances = torch.cdist(seen_by(sees, mean), by_distance.prototypes)
    logits = by_distance(mean)
    assert torch.equal(logits.argmax(1), distances.argmin(1))
    n_values = by_distance.prototypes.shape[1]
    torch.testing.assert_close(logits, -(distances**2) / n_values)


def test_prototypes_that_are_learnt_get_a_gradient_and_class_means_do_not() -> None:
    for similarity in ("cosine", "distance"):
        learnt = classifier(similarity)
        learnt(means()).sum().backward()
        assert learnt.prototypes.grad is not None
    by_means = classifier("class_mean")
    assert {name for name, _ in by_means.named_parameters()} == {"log_scale"}
    assert {"prototypes", "count"} <= by_means.state_dict().keys()


def test_class_means_are_those_of_the_first_batch_and_then_move_towards_the_next() -> None:
    by_means = classifier("class_mean")
    first, second = means(6)[:3], means(6)[3:]
    classes = torch.tensor([0, 2, 0])
    by_means.learn(first, classes)
    expected = torch.stack(
        [(first[0, 1, 1] + first[2, 1, 1]) / 2, torch.zeros(SIZE), first[1, 1, 1]]
    )
    torch.testing.assert_close(by_means.prototypes, expected)
    by_means.learn(second, torch.tensor([1, 0, 1]))
    expected[0] = MEMORY * expected[0] + (1 - MEMORY) * second[1, 1, 1]
    expected[1] = (second[0, 1, 1] + second[2, 1, 1]) / 2
    torch.testing.assert_close(by_means.prototypes, expected)
    assert by_means.count.tolist() == [2, 1, 1]


def test_prototypes_that_are_learnt_do_not_follow_the_batches() -> None:
    learnt = classifier("distance")
    before = learnt.prototypes.detach().clone()
    learnt.learn(means(), torch.zeros(6).long())
    assert torch.equal(learnt.prototypes, before)


@pytest.mark.parametrize("sees", ["centre", "map", "pooled"])
@pytest.mark.parametrize("form", ["cosine", "distance", "class_mean"])
def test_a_model_has_the_classifier_that_is_named(sees: str, form: str) -> None:
    options = {"n_kernels": 4, "n_spectral_features": 8}
    spec = ModelSpec(20, 3, patch_size=3, backbone_options=options, classifier=sees,
                     classifier_form=form)  # fmt: skip
    _, logits = Model(spec)(torch.randn(4, 3, 3, 20))
    assert logits.shape == (4, 3)
    assert torch.isfinite(logits).all()


def test_dropout_of_features_acts_before_any_classifier_in_training_only() -> None:
    options = {"n_kernels": 4, "n_spectral_features": 8}
    spec = ModelSpec(20, 3, patch_size=3, backbone_options=options, feature_dropout=0.5)
    model, patches = Model(spec), torch.randn(4, 3, 3, 20)
    assert not torch.equal(model(patches)[1], model(patches)[1])
    model.eval()
    assert torch.equal(model(patches)[1], model(patches)[1])


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown form of a classifier 'cosin'; did you"):
        Model(ModelSpec(20, 3, classifier_form="cosin"))
