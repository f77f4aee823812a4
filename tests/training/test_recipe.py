"""Recipes: TOML and back, what they refuse, and the values that the paper states."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from pdml.errors import (
    InvalidInputError,
    MissingFileError,
    PdmlError,
    UnknownNameError,
    UnreadableFileError,
)
from pdml.training.recipe import INGREDIENTS, Recipe, load_recipe, parse_value, recipe_names

OFF: tuple[object, ...] = (
    0, False, "none", "as_centre", "linear", "outside_test", "bands", "network", {},
)  # fmt: skip
AWKWARD = {
    "patch_size": 7,
    "flips": False,
    "learning_rate": 1e-05,
    "precision": "32",
    "head_kernel": 1,
    "backbone_options": {"variant": "released", "n_kernels": 16},
    "metric_options": {
        "a key": 'quotes " and \\ and\nlines\x7f',
        "whether": [True, False],
        "deep": {"margins": [0.1, 2.0], "names": ["a", "b'"]},
    },
}


@pytest.mark.parametrize("changes", [{}, AWKWARD])
def test_a_recipe_written_as_toml_reads_back_equal(changes: dict[str, Any], tmp_path: Path) -> None:
    recipe = Recipe().changed(changes)
    path = tmp_path / "recipe.toml"
    path.write_text(recipe.to_toml(), encoding="utf-8")
    assert load_recipe(path) == recipe
    assert tomllib.loads(recipe.to_toml()) == recipe.to_dict()


def test_what_a_recipe_does_not_name_keeps_its_default() -> None:
    assert Recipe.from_dict({"epochs": 3}) == Recipe(epochs=3)
    assert Recipe(epochs=3).changed({"batch_size": 8}) == Recipe(epochs=3, batch_size=8)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"epoch": 3}, "unknown recipe key 'epoch'; did you mean 'epochs'?"),
        ({"optimiser": "rmsprob"}, "unknown value of optimiser 'rmsprob'; did you mean 'rmsprop'?"),
        ({"border": "mirror"}, "unknown value of border 'mirror'; known: reflect, zero"),
        ({"classifier": "center"}, "unknown value of classifier 'center'; did you mean 'centre'?"),
    ],
)
def test_unknown_keys_and_values_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        Recipe.from_dict(values)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"epochs": "many"}, "epochs must be of type int, got 'many'"),
        ({"epochs": 2.5}, "epochs must be of type int, got 2.5"),
        ({"epochs": True}, "epochs must be of type int, got True"),
        ({"flips": 1}, "flips must be of type bool, got 1"),
        ({"learning_rate": "1.e-3"}, "learning_rate must be of type float, got '1.e-3'"),
        ({"alpha": False}, "alpha must be of type float, got False"),
        ({"backbone": 3}, "backbone must be of type str, got 3"),
        ({"backbone_options": [1]}, r"backbone_options must be of type dict, got \[1\]"),
        ({"head_kernel": 2}, "head_kernel must be 1 or 3, got 2"),
        ({"head_kernel": 3.0}, "head_kernel must be 1 or 3, got 3.0"),
        ({"head_kernel": True}, "head_kernel must be 1 or 3, got True"),
        ({"head_kernel": "3"}, "head_kernel must be 1 or 3, got '3'"),
        ({"precision": 32}, "precision must be '32' or 'bf16' or 'auto', got 32"),
    ],
)
def test_values_of_the_wrong_type_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=f"^{message}$"):
        Recipe.from_dict(values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"patch_size": 4}, "odd and at least 1, so that a patch has a centre pixel, got 4"),
        ({"patch_size": -3}, "odd and at least 1, so that a patch has a centre pixel, got -3"),
        *[
            ({name: 0}, f"{name} must be above 0, got 0")
            for name in ("embedding_size", "n_samples", "epochs", "batch_size", "learning_rate")
        ],
        *[
            ({name: -1}, f"{name} must be 0 or more, got -1")
            for name in (
                "spectral_noise", "lambda_variance", "lambda_pairs", "lambda_classes", "alpha",
                "per_class", "weight_decay", "kernel_l2", "gradient_clip",
            )
        ],
        ({"dropout": 1.0}, "dropout must be from 0 to below 1, got 1.0"),
        ({"averaging": 1.0}, "averaging must be from 0 to below 1, got 1.0"),
        ({"averaging": -0.1}, "averaging must be from 0 to below 1, got -0.1"),
        ({"learning_rate": float("nan")}, "learning_rate must be a finite number, got nan"),
        ({"lambda_pairs": float("inf")}, "lambda_pairs must be a finite number, got inf"),
    ],
)  # fmt: skip
def test_values_out_of_bounds_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=f"{message}$"):
        Recipe.from_dict(values)


def test_the_limits_themselves_are_accepted() -> None:
    Recipe(patch_size=1, dropout=0.0, averaging=0.0, alpha=0.0, lambda_pairs=0, epochs=1)


def test_every_recipe_that_comes_with_the_package_loads_by_name() -> None:
    assert "paper" in recipe_names()
    for name in recipe_names():
        assert isinstance(load_recipe(name), Recipe)


def test_the_defaults_are_those_of_the_default_recipe() -> None:
    if "default" not in recipe_names():
        pytest.skip("there is no default recipe yet")
    off = {name: getattr(Recipe(), name) for name in INGREDIENTS}
    assert load_recipe("default").changed(off) == Recipe()


def test_the_recipe_of_the_paper_has_the_values_that_the_paper_states() -> None:
    recipe = load_recipe("paper")
    stated = {
        "patch_size": 5, "batch_size": 16, "optimiser": "rmsprop", "learning_rate": 1e-4,
        "epochs": 300, "alpha": 0.2, "n_samples": 3, "lambda_variance": 1.0, "lambda_pairs": 1.0,
        "lambda_classes": 1.0, "fit_on": "scene", "select": "best", "lap_form": "paper",
        "reduction": "paper", "head": "gaussian", "metric": "probabilistic_contrastive",
    }  # fmt: skip
    assert {name: getattr(recipe, name) for name in stated} == stated
    # Nothing on top that the paper does not have.
    assert not recipe.flips
    added = ("spectral_noise", "weight_decay", "kernel_l2", "gradient_clip", "averaging")
    assert [getattr(recipe, name) for name in added] == [0] * len(added)
    assert recipe.schedule == "constant"


def test_an_unknown_recipe_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown recipe 'papper'; did you mean 'paper'"):
        load_recipe("papper")


def test_a_missing_recipe_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"no recipe file .*mine\.toml; `pdml list recipes`"):
        load_recipe(tmp_path / "mine.toml")


@pytest.mark.parametrize("content", [b"epochs: 3\n", b"\xff\xfe\x00"])
def test_a_file_that_is_not_toml_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError, match=r"mine\.toml must be a TOML file: "):
        load_recipe(path)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("epochs", "12", 12),
        ("learning_rate", "1e-3", 1e-3),
        ("flips", "false", False),
        ("classifier", "map", "map"),
        ("precision", "32", "32"),
        ("backbone_options", "{ n_kernels = 16 }", {"n_kernels": 16}),
        ("backbone_options", '{ variant = "released" }', {"variant": "released"}),
        ("metric", "", ""),
    ],
)
def test_a_value_on_the_command_line_means_what_toml_says(key: str, text: str, value: Any) -> None:
    assert parse_value(key, text) == value


def test_an_unknown_key_on_the_command_line_is_refused() -> None:
    with pytest.raises(PdmlError, match="unknown recipe key 'lr_rate'; "):
        parse_value("lr_rate", "3")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"mixup": 0.6}, "mixup must be from 0 to 0.5, so that a patch stays mostly of its class"),
        ({"band_dropout": 1.0}, "band_dropout must be from 0 to below 1, got 1.0"),
        ({"border_mixing": 1.1}, "border_mixing must be from 0 to 1, got 1.1"),
        ({"tilt": -0.1}, "tilt must be 0 or more, got -0.1"),
        ({"least_steps": -1}, "least_steps must be 0 or more, got -1"),
        ({"most_steps": -1}, "most_steps must be 0 or more, got -1"),
        ({"known_neighbours": "left"}, "unknown value of known_neighbours 'left'; did you mean"),
        (
            {"lambda_consistency": 1.0, "averaging": 0.0},
            "lambda_consistency needs averaged weights as the teacher, got averaging = 0; "
            "set averaging = 0.998, or lambda_consistency = 0",
        ),
        (
            {"smooth_noise": 0.1, "n_components": 3},
            "smooth_noise changes bands, which principal components do not have, got smooth_noise "
            "= 0.1 with n_components = 3; set one of the two to 0",
        ),
        (
            {"tilt": 0.1, "features": "gabor"},
            "tilt is for bands as they were measured, got tilt = 0.1 with features = 'gabor'; set "
            "tilt = 0",
        ),
        (
            {"n_components": 3, "features": "profiles"},
            "n_components is for bands as they were measured, got n_components = 3 with features = "
            "'profiles'; set n_components = 0, or n_components in feature_options",
        ),
        (
            {"feature_options": {"area": [9]}},
            "feature_options need features that they are options of, got {'area': [9]} with "
            "features = 'bands'; name a kind: `pdml list features` shows them",
        ),
    ],
)
def test_ingredients_that_cannot_be_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(PdmlError) as error:
        Recipe.from_dict(values)
    assert str(error.value).startswith(message)


def test_every_ingredient_is_off_and_then_not_part_of_a_recipe_s_identity() -> None:
    values = Recipe().to_dict()
    assert all(values[name] in OFF for name in INGREDIENTS)
    assert Recipe().identity().keys() == values.keys() - set(INGREDIENTS)
    on = Recipe(mixup=0.2, average_symmetries=True).identity()
    assert on.keys() - Recipe().identity().keys() == {"mixup", "average_symmetries"}
    assert Recipe.from_dict(on) == Recipe(mixup=0.2, average_symmetries=True)
