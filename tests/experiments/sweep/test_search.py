"""The search of a recipe: judged by validation pixels, and by others only if that is asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pdml.errors import InvalidInputError, UnknownNameError
from pdml.experiments.experiment import experiment_named
from pdml.experiments.render.gathered import gather
from pdml.experiments.render.render import render_sweep
from pdml.experiments.render.search_table import search_table
from pdml.experiments.search import BASE, changed_by, left_out, searched_variants
from pdml.experiments.sweep.plan import SweepRequest, plan_sweep
from pdml.experiments.sweep.store import SweepFolder
from pdml.inference.judged import judged_pixels
from pdml.training.recipe import INGREDIENTS, Recipe, load_recipe
from tests.experiments.sweep.tiny_sweep import run_tiny, tiny_request

SEARCH = experiment_named("recipe")
OF_TEST = {"oa", "aa", "kappa", "nll", "brier", "ece", "per_class", "confusion", "leakage"}


def request(*variants: str, **others: object) -> SweepRequest:
    asked = replace(tiny_request("recipe"), recipe="default", variants=variants)
    return replace(asked, **others)  # type: ignore[arg-type]


def test_every_ingredient_is_switched_on_and_off() -> None:
    values: dict[str, set[object]] = {}
    for variant in SEARCH.variants:
        for key, value in variant.changes.items():
            values.setdefault(key, set()).add(value)
    elsewhere = {
        "unlabelled",
        "least_steps",
        "most_steps",
    }  # a choice within another one; for few labels
    elsewhere |= {"features", "feature_options", "learner", "learner_options"}  # other methods
    off = Recipe()
    for name in set(INGREDIENTS) - elsewhere:
        assert getattr(off, name) in values[name], name
        assert len(values[name]) > 1, name


def test_a_change_is_written_as_for_set() -> None:
    found = changed_by("metric_options={ a = 1, b = 2 }, lap_form=log,flips=false").changes
    assert found == {"metric_options": {"a": 1, "b": 2}, "lap_form": "log", "flips": False}
    with pytest.raises(UnknownNameError, match=r"unknown recipe key 'flip'; did you mean 'flips'"):
        changed_by("flip=false")
    for text in ("mixup=", "flips=true, mixup="):
        with pytest.raises(InvalidInputError, match=r"a variant of a search is KEY=VALUE, or seve"):
            changed_by(text)


def test_what_the_recipe_has_already_is_left_out_and_refused_when_asked_for() -> None:
    base = load_recipe("default").changed({"mixup": 0.1, "band_dropout": 0.1})
    names = [variant.name for variant in searched_variants(SEARCH, (), base)]
    assert names[0] == BASE
    assert "mixup=0.0" in names
    assert not {"mixup=0.1", "n_components=30"} & set(names)
    assert left_out(SEARCH, base)["mixup=0.1"] == "the recipe has it already"
    assert "principal components" in left_out(SEARCH, base)["n_components=30"]
    assert len(names) + len(left_out(SEARCH, base)) == len(SEARCH.variants)
    with pytest.raises(InvalidInputError) as caught:
        searched_variants(SEARCH, ("mixup=0.1",), base)
    assert str(caught.value) == (
        "'mixup=0.1' cannot be compared with the base: the recipe has it already"
    )


def test_what_cannot_be_built_is_left_out_and_refused_when_asked_for() -> None:
    plan = plan_sweep(request())
    assert "n_components=30" not in {job.variant for job in plan.jobs}
    assert any("got 30 for 16 bands" in note for note in plan.notes)
    with pytest.raises(InvalidInputError, match=r"'n_components=30' is not: n_components must be"):
        plan_sweep(request("n_components=30"))


def test_the_base_is_always_run_and_first() -> None:
    base = load_recipe("default")
    assert [one.name for one in searched_variants(SEARCH, ("mixup=0.2",), base)] == [
        BASE, "mixup=0.2",
    ]  # fmt: skip
    assert [one.name for one in searched_variants(SEARCH, (BASE,), base)] == [BASE]


@pytest.mark.parametrize("variants", [(), ("watch_test=true",)])
def test_a_search_does_not_watch_the_test(variants: tuple[str, ...]) -> None:
    base = load_recipe("default").changed({"watch_test": not variants})
    with pytest.raises(InvalidInputError, match=r"does not look at test pixels, got watch_test ="):
        searched_variants(SEARCH, variants, base)


def test_a_run_scores_no_test_pixel_and_its_line_and_table_have_no_test_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pdml.experiments.sweep import execute

    looked_at: list[int] = []

    def judged(model: Any, known: Any, source: Any, indices: Any, **options: Any) -> Any:
        looked_at.extend(indices.tolist())
        return judged_pixels(model, known, source, indices, **options)

    monkeypatch.setattr(execute, "judged_pixels", judged)
    run_tiny(request("flips=false", split="blocks"), tmp_path)
    folder = SweepFolder(tmp_path)
    lines = list(folder.records(twin=False).values())
    assert len(lines) == 2
    for line in lines:
        assert not OF_TEST & line.keys()
        assert line["validation"].keys() == {"oa", "aa", "kappa", "nll"}
        assert line["validation_leakage"]["overlap_share"] == 0.0
        assert sum(line["counts"]["validation"]) == len(looked_at) / 2
        assert "test" not in line["seconds"]
    assert not (tmp_path / "predictions").exists()
    text = render_sweep(folder)[0].read_text(encoding="utf-8")
    assert "no test pixel is scored" in text
    assert "test OA" not in text


def test_final_scores_the_test_too_and_says_so(tmp_path: Path) -> None:
    plain, final = request("flips=false"), request("flips=false", final=True)
    assert not {job.id for job in plan_sweep(plain).jobs} & {
        job.id for job in plan_sweep(final).jobs
    }
    run_tiny(final, tmp_path)
    folder = SweepFolder(tmp_path)
    for line in folder.records(twin=False).values():
        assert line.keys() >= OF_TEST
        assert "validation" in line
    table = search_table(gather(folder))
    assert "test OA" in [cell.text for cell in table.headings]
    assert table.caption[0].startswith("The test pixels are scored as well (--final)")
    with pytest.raises(InvalidInputError, match=r"holds another sweep: judged was 'validation and"):
        folder.open(plan_sweep(plain).manifest)


def test_differences_are_those_of_the_same_seeds(tmp_path: Path) -> None:
    folder = SweepFolder(tmp_path)
    folder.open(plan_sweep(request()).manifest)
    runs = {BASE: {0: 0.90, 1: 0.94}, "flips=false": {1: 0.93, 2: 0.5}, "mixup=0.07": {0: 0.92}}
    for variant, values in runs.items():
        for seed, value in values.items():
            folder.append(_line(variant, seed, value))
    table = search_table(gather(folder))
    rows = {row[0].text: row for row in table.rows}
    assert list(rows) == [BASE, "flips=false", "mixup=0.07"]  # those without a run are not shown
    assert rows[BASE][2].mean == pytest.approx(92.0)
    assert rows[BASE][3].mean is None
    assert rows["flips=false"][3].mean == pytest.approx(-1.0)  # seed 1 alone
    assert rows["mixup=0.07"][3].number == "+2.00"


def _line(variant: str, seed: int, oa: float) -> dict[str, Any]:
    plan = plan_sweep(request())
    scores = {"oa": oa, "aa": oa, "kappa": oa, "nll": 1 - oa}
    return {
        **plan.jobs[0].key, "variant": variant, "seed": seed, "id": f"{variant}-{seed}",
        "counts": {"train": [9], "validation": [5], "test": [5]},
        "validation_leakage": {"patch_size": 5, "own_patch_share": 0.0, "overlap_share": 0.0},
        "versions": {"pdml": "0", "torch": "2"}, "seconds": {"train": 1.0}, "validation": scores,
    }  # fmt: skip


def test_a_split_of_one_s_own_choice_belongs_to_a_search() -> None:
    assert plan_sweep(request(BASE)).jobs[0].split["strategy"] == "random"
    assert plan_sweep(request(BASE, split="blocks")).manifest["split"] == {
        "strategy": "blocks", "train": 0.25, "validation": 0.1,
    }  # fmt: skip
    with pytest.raises(UnknownNameError, match=r"unknown split of an experiment 'block'; did you"):
        plan_sweep(request(BASE, split="block"))
    with pytest.raises(InvalidInputError, match=r"--final belongs to the search of a recipe"):
        plan_sweep(replace(tiny_request(), final=True))
    with pytest.raises(InvalidInputError, match=r"'honest' has splits of its own, got --split blo"):
        plan_sweep(replace(tiny_request("honest"), split="blocks"))


def test_a_search_without_validation_pixels_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pdml.experiments import protocol

    without = {**protocol.CHOICES, "blocks": {"train": 0.25, "validation": 0.0}}
    monkeypatch.setattr(protocol, "CHOICES", without)
    with pytest.raises(InvalidInputError, match=r"judged by validation pixels, the split has none"):
        run_tiny(request(BASE, split="blocks"), tmp_path)
