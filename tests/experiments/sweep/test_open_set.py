"""Every class in turn is left out, once per variant and seed, and nothing else changes its name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pdml.experiments.experiment import experiment_named
from pdml.experiments.render.gathered import gather
from pdml.experiments.render.render import render_sweep
from pdml.experiments.render.unknown_table import DETECTORS, aurocs, unknown_table
from pdml.experiments.sweep.plan import plan_sweep
from pdml.experiments.sweep.store import SweepFolder
from pdml.scenes.labels import LabelMap
from tests.experiments.sweep.tiny_sweep import run_tiny, tiny_request

CLASSES = ("class 1", "class 2", "class 3", "class 4")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> SweepFolder:
    path = tmp_path_factory.mktemp("open_set")
    run_tiny(tiny_request("open_set"), path)
    return SweepFolder(path)


def test_there_is_a_run_for_every_class_variant_and_seed() -> None:
    plan = plan_sweep(tiny_request("open_set", n_seeds=2))
    named = [(job.seed, job.left_out, job.variant) for job in plan.jobs]
    variants = [variant.name for variant in experiment_named("open_set").variants]
    assert named == [(s, c, v) for s in range(2) for c in CLASSES for v in variants]
    assert len({job.id for job in plan.jobs}) == len(plan.jobs)


def test_runs_of_other_experiments_are_called_what_they_were() -> None:
    for job in plan_sweep(tiny_request()).jobs:
        assert job.left_out is None
        assert "left_out" not in job.key
    assert plan_sweep(tiny_request("open_set")).jobs[0].key["left_out"] == "class 1"


def test_the_class_is_in_no_part_of_the_split_and_all_its_pixels_are_looked_for(
    folder: SweepFolder,
) -> None:
    labels = plan_sweep(tiny_request("open_set")).subject.labels
    assert isinstance(labels, LabelMap)
    for record in folder.records(twin=False).values():
        left_out = labels.class_names.index(record["left_out"])
        rest = np.delete(labels.counts, left_out)
        assert np.array_equal(np.sum(list(record["counts"].values()), axis=0), rest)
        assert list(record["per_class"]) == [c for c in CLASSES if c != record["left_out"]]
        with np.load(folder.predictions(record["id"])) as stored:
            assert not np.isin(
                stored["indices"], np.flatnonzero(labels.codes == left_out + 1)
            ).any()


def test_every_detector_that_a_model_has_is_scored(folder: SweepFolder) -> None:
    for record in folder.records(twin=False).values():
        lacks = {"mismatch", "variance"} if record["variant"] == "SSRN" else set()
        assert record["detectors"].keys() >= DETECTORS.keys() - lacks
        assert not record["detectors"].keys() & lacks
        for scores in record["detectors"].values():
            assert 0 <= scores["auroc"] <= 1
            assert 0 <= scores["fpr95"] <= 1


def test_the_table_is_the_mean_over_classes_and_what_it_gains(folder: SweepFolder) -> None:
    gathered = gather(folder)
    records = [r for r in folder.records(twin=False).values() if r["variant"] == "PDML"]
    mean = {
        name: np.mean([record["detectors"][name]["auroc"] for record in records])
        for name in ("max_softmax", "unknown")
    }
    rows = {(row[0].text, row[1].text): row for row in unknown_table(gathered).rows}
    row = rows["PDML", DETECTORS["unknown"]]
    assert row[2].mean == pytest.approx(mean["unknown"])
    gain = float(row[3].text.replace("\N{MINUS SIGN}", "-"))
    assert gain == pytest.approx(mean["unknown"] - mean["max_softmax"], abs=6e-4)
    assert aurocs(gathered.of("PDML"), "unknown").keys() == set(CLASSES)


def test_it_is_written_as_tables_and_a_figure(folder: SweepFolder) -> None:
    names = [path.name for path in render_sweep(folder)]
    stem = "open_set-synthetic"
    assert names == [
        f"{stem}.md", f"{stem}.png", f"{stem}.pdf", f"{stem}.tex", f"{stem}.csv",
        f"{stem}-classes.csv",
    ]  # fmt: skip
    text = (folder.path / f"{stem}.md").read_text(encoding="utf-8")
    assert "Classes left out, one at a time: 4." in text
    assert "seed 0" in text


def test_a_sweep_of_which_one_variant_is_finished_is_rendered(tmp_path: Path) -> None:
    from dataclasses import replace

    request = replace(tiny_request("open_set"), variants=("SSRN",))
    run_tiny(request, tmp_path)
    assert render_sweep(SweepFolder(tmp_path))
