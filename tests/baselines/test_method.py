"""Recipes of methods: whose training counts, and what is refused."""

from __future__ import annotations

import pytest

from pdml.baselines.method import METHODS, Method, learner_named, method_recipe
from pdml.embeddings.model import Model
from pdml.errors import InvalidInputError, UnknownNameError
from pdml.training.inputs import model_spec
from pdml.training.recipe import Recipe, load_recipe


def test_without_a_recipe_a_network_is_trained_as_its_article_does() -> None:
    own = method_recipe("ssrn")
    assert (own.patch_size, own.optimiser, own.learning_rate, own.epochs) == (
        7,
        "rmsprop",
        3e-4,
        200,
    )
    assert (own.head, own.classifier, own.averaging, own.flips) == ("point", "pooled", 0.0, False)
    assert own.backbone_options == {"padding": "collapsed"}


def test_with_a_recipe_only_its_inputs_and_layers_are_its_own() -> None:
    base = load_recipe("paper")
    common = method_recipe("ssatt", base)
    ours = {key for key, value in common.to_dict().items() if value != base.to_dict()[key]}
    assert ours == {
        "patch_size", "backbone", "backbone_options", "head", "classifier", "lambda_variance",
        "lambda_pairs",
    }  # fmt: skip
    assert (common.patch_size, common.learning_rate) == (9, 1e-4)


def test_the_plain_ssrn_on_a_recipe_is_the_recipe_of_the_plain_network() -> None:
    common = method_recipe("ssrn", load_recipe("paper")).to_dict()
    alone = load_recipe("paper-ssrn").to_dict()
    assert {key for key in alone if alone[key] != common[key]} <= {"lap_form"}


def test_under_pdml_a_network_keeps_the_pixels_of_a_patch() -> None:
    recipe = method_recipe("cnn2d", pdml=True)
    assert (recipe.head, recipe.head_kernel, recipe.lambda_pairs) == ("gaussian", 1, 1.0)
    model = Model(model_spec(recipe, n_bands=103, n_classes=9))
    assert model.map_size == recipe.patch_size


@pytest.mark.parametrize("name", ["svm", "rf", "emap_svm", "mcnn", "cnn3d_27"])
def test_pdml_is_refused_for_what_cannot_take_it_and_says_what_can(name: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        method_recipe(name, pdml=True)
    assert str(caught.value) == (
        f"--pdml needs a network that keeps the pixels of a patch, '{name}' is none; those that "
        "can are cassn, cnn2d, cnn3d, ecnn, gcnn, msdn_sa, rian, sae, spa, spc, ssatt, ssrn, "
        "ssrn_released"
    )


def test_pdml_on_a_recipe_without_gaussians_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"--pdml needs a recipe with head = 'gaussian'"):
        method_recipe("ssatt", load_recipe("paper-ssrn"), pdml=True)


def test_unknown_methods_and_learners_are_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown method 'smv'; did you mean 'svm'\?"):
        method_recipe("smv")
    with pytest.raises(InvalidInputError) as caught:
        learner_named("ssatt")
    assert str(caught.value) == (
        "learner must be 'network' or one of rf, svm, got 'ssatt'; a method as a whole is chosen "
        "with --method ssatt"
    )


def test_a_declaration_of_another_kind_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = Method(title="odd", article="none", status="exact", ours="all")
    monkeypatch.setitem(METHODS._found, "svm", lambda: odd)
    with pytest.raises(InvalidInputError, match=r"'svm' must be a network or a classical method"):
        method_recipe("svm", Recipe())


def test_the_weights_of_published_forms_are_those_of_the_layers() -> None:
    # 30 components: 3 x 3 x 30 x 90 + 90, 3 x 3 x 90 x 270 + 270, 270 x 180 + 180, 180 x 16 + 16.
    model = Model(model_spec(method_recipe("cnn2d"), n_bands=200, n_classes=16))
    assert model.n_values == 24390 + 218970 + 48780 + 2896
