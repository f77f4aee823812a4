"""Sweeps over several splits: the same pixels for every method, and one table for all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pdml.errors import InvalidInputError, MissingFileError
from pdml.experiments.experiment import experiment_named
from pdml.experiments.protocol import PROTOCOLS
from pdml.experiments.render.doubts_table import doubts_table
from pdml.experiments.render.gathered import gather
from pdml.experiments.render.render import render_sweep
from pdml.experiments.render.splits_table import splits_tables
from pdml.experiments.sweep.plan import SweepRequest, plan_sweep
from pdml.experiments.sweep.splits import complete_split, split_of
from pdml.experiments.sweep.store import SweepFolder
from pdml.splits.leakage import leakage
from tests.experiments.sweep.tiny_sweep import run_tiny, tiny_request

METHODS = ("PDML", "SSRN", "SVM, 5 \u00d7 5", "SVM, spectrum", "RF, spectrum")
SPLITS = ("random", "blocks", "disjoint map",
          "5 per class", "10 per class", "20 per class", "50 per class")  # fmt: skip


def request(*variants: str) -> SweepRequest:
    return replace(tiny_request("honest"), recipe="default", variants=variants)


def test_every_method_is_declared_on_every_split_and_tested_against_pdml() -> None:
    declared = experiment_named("honest")
    names = {f"{method}, {split}" for method in METHODS for split in SPLITS}
    assert {variant.name for variant in declared.variants} == names
    assert {(claim.better, claim.worse) for claim in declared.claims} == {
        (f"PDML, {split}", f"{method}, {split}") for method in METHODS[1:] for split in SPLITS
    }
    assert declared.recipe == "default"


def test_all_methods_have_the_same_pixels_and_blocks_leak_nothing_to_the_largest_patch() -> None:
    plan = plan_sweep(request())
    pixels: dict[str, set[bytes]] = {}
    for job in plan.jobs:
        split = split_of(job, plan.subject)
        parts = (split.train, split.validation, split.test)
        key = job.variant.rpartition(", ")[2]
        pixels.setdefault(key, set()).add(b"-".join(part.indices.tobytes() for part in parts))
        if key == "blocks":
            assert leakage(split, 5).overlap_share == 0.0  # patches of 3 here, of the SVM 5
        if "per class" in key:
            assert len(split.validation) == 0
            assert split.counts["train"].max() == int(key.split()[0])
    assert set(pixels) == set(SPLITS) - {"disjoint map"}
    assert {len(found) for found in pixels.values()} == {1}


def test_a_published_split_that_is_not_at_hand_is_left_out_unless_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("PDML_DATA", "PDML_SHARED_DATA", "PDML_CACHE"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    asked = replace(request(), dataset="indian_pines")
    plan = plan_sweep(asked)
    assert len(plan.notes) == 1
    assert plan.notes[0].startswith("Left out: disjoint map (the published split 'disjoint' of ")
    assert str(tmp_path / "PDML_DATA") in plan.notes[0]
    assert not any("disjoint" in job.variant for job in plan.jobs)
    with pytest.raises(MissingFileError, match=r"needs a file indian_pines_splits\.npz, but it is"):
        plan_sweep(replace(asked, variants=("PDML, disjoint map",)))
    with pytest.raises(InvalidInputError, match=r"nobody published a split 'disjoint' of 'synth"):
        plan_sweep(request("PDML, disjoint map"))


def test_the_published_split_validates_in_blocks_of_its_training_part(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PDML_DATA", str(shared_data))
    asked = replace(request("PDML, disjoint map"), dataset="indian_pines", settings={})
    plan = plan_sweep(asked)
    split = split_of(plan.jobs[0], plan.subject)
    assert len(split.test) == 4711
    validated = replace(split, test=split.validation)
    assert leakage(validated, 5).own_patch_share == 0.0
    assert len(split.validation) > 400


def test_what_a_declaration_leaves_open_comes_from_the_protocol() -> None:
    pines = PROTOCOLS["indian_pines"]
    assert complete_split({"strategy": "random"}, pines, patch_size=5) == pines.split()
    assert complete_split({"strategy": "blocks", "train": 0.5}, pines, patch_size=7) == {
        "strategy": "blocks", "train": 0.5, "validation": 0.1, "guard_pixels": 7,
    }  # fmt: skip


def test_tables_have_methods_in_rows_and_splits_in_columns(tmp_path: Path) -> None:
    asked = request("PDML, blocks", "RF, spectrum, blocks", "RF, spectrum, random")
    run_tiny(asked, tmp_path)
    folder = SweepFolder(tmp_path)
    tables = splits_tables(gather(folder))
    table = tables[""]
    assert [cell.text for cell in table.headings] == ["", "random", "blocks"]
    assert [row[0].text for row in table.rows] == [*METHODS, "leakage"]
    found = {line["variant"]: line for line in folder.records(twin=False).values()}
    forest = table.rows[METHODS.index("RF, spectrum")]
    assert forest[2].mean == pytest.approx(100 * found["RF, spectrum, blocks"]["oa"])
    assert table.rows[METHODS.index("PDML")][1].mean is None
    assert table.rows[-1][2].mean == 0.0
    assert any("Not run: disjoint map, 5 per class" in sentence for sentence in table.caption)
    assert [row[0].text for row in tables["-splits"].rows] == ["random", "blocks"]
    names = [path.name for path in render_sweep(folder)]
    assert names == [f"honest-synthetic{part}" for part in (
        ".md", ".png", ".pdf", ".tex", ".csv", "-aa.csv", "-kappa.csv", "-splits.csv",
        "-doubts.csv", "-claims.csv",
    )]  # fmt: skip
    claims = (tmp_path / names[-1]).read_text(encoding="utf-8").splitlines()
    assert len(claims) == 2  # only where both have runs
    assert claims[1].startswith('"PDML, blocks beats RF, spectrum, blocks",1,')


def test_doubts_have_a_table_of_the_runs_that_tell_of_them(tmp_path: Path) -> None:
    run_tiny(request("PDML, blocks", "SVM, spectrum, blocks"), tmp_path)
    folder = SweepFolder(tmp_path)
    table = doubts_table(gather(folder))
    assert table is not None
    assert [row[0].text for row in table.rows] == ["PDML, blocks"]
    line = next(one for one in folder.records(twin=False).values() if "doubts" in one)
    cells = dict(zip([cell.text for cell in table.headings], table.rows[0], strict=True))
    told = line["doubts"]["auroc"]
    assert cells["OA"].mean == pytest.approx(100 * line["oa"])
    assert cells["ECE (%)"].mean == pytest.approx(100 * line["ece"])
    assert cells["AUROC: max-softmax"].mean == pytest.approx(told["max_softmax"])
    assert cells["entropy"].mean == pytest.approx(told["entropy"] - told["max_softmax"])
    assert cells["rounds"].mean == line["doubts"]["rounds"]


@pytest.fixture
def shared_data() -> Path:
    """The folder with the published maps, if it is at hand."""
    import os

    folder = Path(os.environ.get("PDML_SHARED_DATA", "nowhere"))
    if not (folder / "indian_pines_splits.npz").is_file():
        pytest.skip("the shared data is not at hand")
    return folder
