"""Predictions of pixels against whole patches through the whole model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from pdml.embeddings.model import Model, ModelSpec
from pdml.embeddings.predict import predict_patches, predict_pixels
from pdml.embeddings.prediction import Prediction
from pdml.patches.normalise import fit_standardiser
from pdml.patches.source import PatchSource
from pdml.scenes.scene import Scene

N_ROWS, N_COLS, N_BANDS = 19, 17, 12


@pytest.fixture(scope="module")
def source() -> PatchSource:
    cube = np.random.default_rng(0).normal(size=(N_ROWS, N_COLS, N_BANDS))
    scene = Scene.from_array(cube)
    return PatchSource(scene, fit_standardiser(scene), patch_size=3)


def model_of(head: str, *, average_symmetries: bool = False) -> Model:
    torch.manual_seed(0)
    return Model(
        ModelSpec(
            N_BANDS,
            3,
            patch_size=3,
            backbone_options={"n_kernels": 4, "n_spectral_features": 8},
            head=head,
            average_symmetries=average_symmetries,
        )
    )


@pytest.mark.parametrize("head", ["gaussian", "point"])
def test_all_of_a_prediction_is_that_of_whole_patches(source: PatchSource, head: str) -> None:
    model = model_of(head)
    indices = torch.arange(N_ROWS * N_COLS)  # more pixels than are computed at once
    prediction = predict_pixels(model, source, indices)
    with torch.no_grad():
        embedding, logits = model.eval()(source.gather(indices))
    torch.testing.assert_close(prediction.probability, logits.softmax(1))
    torch.testing.assert_close(prediction.mean, embedding.mean[:, 1, 1])
    if head == "point":
        assert prediction.variance is None
    else:
        assert prediction.variance is not None
        torch.testing.assert_close(prediction.variance, embedding.variance[:, 1, 1].mean(1))


@pytest.mark.parametrize("head", ["gaussian", "point"])
def test_averages_over_symmetries_are_those_of_turned_and_mirrored_patches(
    source: PatchSource, head: str
) -> None:
    model = model_of(head, average_symmetries=True)
    indices = torch.arange(0, N_ROWS * N_COLS, 3)
    prediction = predict_pixels(model, source, indices)
    patches = source.gather(indices)
    probabilities, means, variances = [], [], []
    for mirrored in (patches, patches.flip(1)):
        for quarter in range(4):
            with torch.no_grad():
                embedding, logits = model.eval()(mirrored.rot90(quarter, (1, 2)))
            probabilities.append(logits.softmax(1))
            means.append(embedding.mean[:, 1, 1])
            if embedding.log_variance is not None:
                variances.append(embedding.variance[:, 1, 1].mean(1))
    torch.testing.assert_close(prediction.probability, torch.stack(probabilities).mean(0))
    torch.testing.assert_close(prediction.mean, torch.stack(means).mean(0))
    if prediction.variance is not None:
        torch.testing.assert_close(prediction.variance, torch.stack(variances).mean(0))
    plain = predict_pixels(model_of(head), source, indices)
    assert not torch.allclose(prediction.probability, plain.probability, atol=1e-4)


def test_averages_over_symmetries_run_the_spectral_stage_once(
    source: PatchSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_of("gaussian", average_symmetries=True)
    calls: list[int] = []
    spectra = model.backbone.spectra

    def counted(pixels: torch.Tensor) -> torch.Tensor:
        calls.append(len(pixels))
        return spectra(pixels)

    monkeypatch.setattr(model.backbone, "spectra", counted)
    predict_pixels(model, source, torch.arange(N_ROWS * N_COLS))
    assert len(calls) == 1  # 21 x 19 padded pixels, up to 512 at once


def test_pixels_come_in_the_order_in_which_they_were_asked_for(source: PatchSource) -> None:
    model = model_of("gaussian")
    everywhere = predict_pixels(model, source, torch.arange(N_ROWS * N_COLS))
    asked = torch.tensor([322, 0, 150, 0, 16])
    some = predict_pixels(model, source, asked)
    torch.testing.assert_close(some.probability, everywhere.probability[asked])


@pytest.mark.parametrize("training", [True, False])
def test_the_mode_and_the_statistics_of_the_model_stay(source: PatchSource, training: bool) -> None:
    model = model_of("gaussian").train(training)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    predict_pixels(model, source, torch.arange(5))
    assert all(part.training is training for part in model.modules())
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_bfloat16_is_close_and_its_probabilities_are_32_bit(source: PatchSource) -> None:
    model = model_of("gaussian")
    indices = torch.arange(40)
    exact = predict_pixels(model, source, indices)
    brief = predict_pixels(model, source, indices, precision="bf16")
    assert brief.probability.dtype == brief.mean.dtype == torch.float32
    torch.testing.assert_close(brief.probability, exact.probability, atol=0.05, rtol=0)
    torch.testing.assert_close(brief.probability.sum(1), torch.ones(40))


def test_the_class_is_the_most_probable_one() -> None:
    probability = torch.tensor([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]])
    assert Prediction(probability, torch.zeros(2, 1), None).classes.tolist() == [1, 0]


def test_patches_that_lie_in_no_scene_are_predicted_like_those_of_pixels(
    source: PatchSource,
) -> None:
    model = model_of("gaussian", average_symmetries=True)
    indices = torch.arange(N_ROWS * N_COLS)
    of_pixels = predict_pixels(model, source, indices)
    of_patches = predict_patches(model, source.gather(indices))
    torch.testing.assert_close(of_patches.probability, of_pixels.probability)
    torch.testing.assert_close(of_patches.mean, of_pixels.mean)
    assert of_patches.logits is not None
    torch.testing.assert_close(of_patches.logits, of_pixels.logits)


def test_what_judges_sees_every_pixel_and_its_scores_come_back_in_order(
    source: PatchSource,
) -> None:
    def judge(said: Prediction) -> Prediction:
        return replace(said, scores={"first": said.mean[:, 0]})

    indices = torch.randperm(N_ROWS * N_COLS, generator=torch.Generator().manual_seed(0))
    found = predict_pixels(model_of("gaussian"), source, indices, judge=judge)
    torch.testing.assert_close(found.scores["first"], found.mean[:, 0])
    assert len(found.scores["first"]) == len(indices)
