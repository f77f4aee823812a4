"""The declarations: complete, consistent with themselves, and with the paper's numbers."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from pdml.datasets.card import dataset_card
from pdml.errors import UnknownNameError
from pdml.experiments.experiment import EXPERIMENTS, experiment_named
from pdml.experiments.protocol import PROTOCOLS
from pdml.experiments.quoted import Quoted, quoted_numbers
from pdml.experiments.sweep.plan import SweepRequest, plan_sweep
from pdml.training.recipe import load_recipe

NAMES = [name for name in EXPERIMENTS.names() if experiment_named(name).source]
SCENES = [name for name in PROTOCOLS if name != "synthetic"]


def test_the_experiments_of_the_paper_are_declared() -> None:
    tables = {"results", "architectures", "losses", "gaussians", "lambdas", "time"}
    figures = {"samples", "proportions", "patches", "maps", "tsne"}
    assert set(NAMES) == tables | figures


@pytest.mark.parametrize("name", NAMES)
def test_a_declaration_fits_its_file_and_itself(name: str) -> None:
    declared = experiment_named(name)
    variants = [variant.name for variant in declared.variants]
    assert declared.name == name
    assert len(set(variants)) == len(variants)
    for claim in declared.claims:
        assert claim.better != claim.worse
        assert {claim.better, claim.worse} <= set(variants)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scene", SCENES)
def test_quoted_rows_and_notes_are_about_something(name: str, scene: str) -> None:
    quoted = quoted_numbers(name, scene)
    declared = experiment_named(name)
    variants = {variant.name for variant in declared.variants}
    if declared.shows == "methods":
        always = {variant.name for variant in declared.variants if not variant.method}
        assert always <= quoted.rows.keys()
    else:
        assert quoted.rows.keys() <= variants
    for note in quoted.notes:
        assert not note.row or note.row in quoted.rows
        assert not note.score or note.score in quoted.rows[note.row]
    for scores in quoted.rows.values():
        for score, values in scores.items():
            assert all(value >= 0 for value in values)
            if score in ("oa", "aa", "kappa"):
                assert len(values) in (1, 2)
                assert values[0] <= 100


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_can_be_run_as_it_is_declared(name: str) -> None:
    plan = plan_sweep(SweepRequest(name, "indian_pines", seeds=(0,)))
    own = [one for one in experiment_named(name).variants if not one.method]
    assert [job.variant for job in plan.jobs] == [one.name for one in own]


def test_the_main_tables_have_a_recall_of_every_class() -> None:
    for scene in SCENES:
        n_classes = dataset_card(scene).n_classes
        for row in quoted_numbers("results", scene).rows.values():
            assert len(row["recall"]) == n_classes


def test_mean_recall_agrees_with_the_average_accuracy_where_the_paper_is_right() -> None:
    # Both are means over runs, printed to two digits.
    for scene in SCENES:
        row = quoted_numbers("results", scene).rows["PDML"]
        assert math.fsum(row["recall"]) / len(row["recall"]) == pytest.approx(
            row["aa"][0], abs=0.05
        )


def test_tables_that_share_a_setting_share_the_number() -> None:
    ours = {"results": "PDML", "losses": "P. Contrastive", "gaussians": "1",
            "lambdas": "1.0, 1.0, 1.0", "patches": "5 \u00d7 5"}  # fmt: skip
    for scene in SCENES:
        found = {quoted_numbers(name, scene).value(row, "oa") for name, row in ours.items()}
        assert len(found) == 1


def test_some_numbers_are_those_of_the_paper() -> None:
    def value(name: str, scene: str, row: str, score: str = "oa") -> tuple[float | None, ...]:
        return quoted_numbers(name, scene).value(row, score)

    assert value("results", "indian_pines", "SSRN") == (99.19, 0.26)
    assert value("results", "houston2013", "SSRN", "kappa") == (88.58, None)
    assert value("architectures", "pavia_university", "P-LNet", "kappa") == (97.13, 0.63)
    assert value("losses", "ksc", "Triplet-SH") == (98.87, 0.42)
    assert value("gaussians", "houston2013", "2") == (92.91, 0.53)
    assert value("lambdas", "indian_pines", "1.0, 1.0, 0.0") == (72.55, 1.88)
    assert value("time", "indian_pines", "PDML", "train_seconds") == (986.61, None)
    assert value("results", "indian_pines", "no such method") == (None, None)


def test_known_slips_of_the_paper_are_footnotes() -> None:
    indian, ksc = (quoted_numbers("results", scene) for scene in ("indian_pines", "ksc"))
    pavia = quoted_numbers("results", "pavia_university")
    assert "97.05 and 0.49" in indian.notes_on("CNN", "kappa")[0].text
    assert any("Classes 1 and 16" in note.text for note in indian.notes)
    for row in ("SVM", "SAE", "SPC", "SSRN"):
        assert indian.rows[row]["recall"][0] == indian.rows[row]["recall"][15]
    assert "80.29" in ksc.notes_on("SVM", "oa")[0].text
    assert "0.82" in ksc.notes_on("SAE", "oa")[0].text
    assert "96.04" in pavia.notes_on("CNN", "recall", 3)[0].text
    assert "93.39" in pavia.notes_on("SAE", "recall", 6)[0].text


def test_experiments_without_numbers_quote_nothing() -> None:
    assert quoted_numbers("maps", "ksc") == Quoted()
    assert quoted_numbers("architectures", "ksc") == Quoted()


def test_the_plain_network_is_that_of_its_recipe() -> None:
    plain = experiment_named("results").variant("SSRN")
    under_paper = load_recipe("paper").changed(plain.changes).to_dict()
    alone = load_recipe("paper-ssrn").to_dict()
    # What stays different belongs to terms whose weight is zero.
    assert {key for key in alone if alone[key] != under_paper[key]} <= {"lap_form"}


def test_the_weights_are_changed_one_at_a_time() -> None:
    first, *others = experiment_named("lambdas").variants
    assert set(first.changes.values()) == {1.0}
    for variant in others:
        assert sum(variant.changes[key] != 1.0 for key in first.changes) == 1


def test_shares_grow_and_sides_are_odd() -> None:
    shares = [v.train_share or 0.0 for v in experiment_named("proportions").variants]
    assert all(low < high for low, high in pairwise(shares))
    sides = [v.changes["patch_size"] for v in experiment_named("patches").variants]
    assert sides == [3, 5, 7, 9]


def test_an_unknown_variant_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"'Triplet-S'; did you mean 'Triplet-SH'"):
        experiment_named("losses").variant("Triplet-S")


def test_the_protocols_give_the_split_sizes_of_the_paper() -> None:
    # Tables I to III of the SSRN article: training pixels are rounded up in each class.
    expected = {"indian_pines": (2055, 1025), "pavia_university": (4281, 4281), "ksc": (1048, 521)}
    for scene, (n_train, n_validation) in expected.items():
        counts = dataset_card(scene).counts["labels"]
        split = PROTOCOLS[scene].split()
        keep = 1 - split["train"]
        assert sum(count - int(keep * count) for count in counts) == n_train
        part = split["validation"]
        assert (part if isinstance(part, int) else round(part * sum(counts))) == n_validation
    assert PROTOCOLS["houston2013"].split() == {"strategy": "published", "validation": 0.1}
    assert PROTOCOLS["houston2013"].split(0.05)["strategy"] == "random"
    assert PROTOCOLS["houston2013"].changes["watch_test"]


def test_every_column_of_the_paper_has_a_method_that_is_run() -> None:
    methods = experiment_named("results").variants
    run = {variant.quoted_name for variant in methods}
    for scene in SCENES:
        assert quoted_numbers("results", scene).rows.keys() <= run


def test_a_row_is_compared_with_the_paper_s_of_the_same_method_only() -> None:
    of = experiment_named("results").variant
    assert of("SVM, 7 \u00d7 7").quoted_name == "SVM"
    assert of("SVM, spectrum").quoted_name == ""
    assert of("CNN, own protocol").quoted_name == "CNN"
    assert of("P-CNN").quoted_name == ""
    assert of("PDML").quoted_name == "PDML"
