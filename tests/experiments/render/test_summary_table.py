"""All methods below each other, from made-up runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pdml.evaluation.table.table import Cell, Table
from pdml.experiments.protocol import BLOCKS, protocol_of
from pdml.experiments.render.claims_table import claims_table
from pdml.experiments.render.gathered import gather
from pdml.experiments.render.methods_table import methods_table
from pdml.experiments.render.summary_table import summary_table
from pdml.experiments.sweep.store import SweepFolder
from tests.experiments.render.made_up import write_sweep

RUNS = {
    "SVM, 7 \u00d7 7": (0.8, 0.82),
    "SVM, spectrum": (0.85,),
    "CNN": (0.9,),
    "CNN, own protocol": (0.95,),
    "P-CNN": (0.97,),
    "PDML": (0.99, 0.99),
}


def table_of(folder: SweepFolder) -> Table:
    table = summary_table(gather(folder))
    assert table is not None
    return table


def cells(table: Table, name: str) -> dict[str, Cell]:
    row = next(row for row in table.rows if row[0].text == name)
    return {heading.text: cell for heading, cell in zip(table.headings, row, strict=True)}


def test_each_row_says_how_it_was_trained_how_it_did_and_what_it_cost(tmp_path: Path) -> None:
    table = table_of(write_sweep(tmp_path, "results", RUNS))
    trained = {name: cells(table, name)["training"].text for name in RUNS}
    assert [*trained.values()] == [
        "no network", "no network", "one protocol", "own protocol", "one protocol", "one protocol",
    ]  # fmt: skip
    svm = cells(table, "SVM, 7 \u00d7 7")
    assert (svm["layers"].text, svm["seeds"].text, svm["values"].text) == ("exact", "2", "1234")
    assert svm["OA"].mean == pytest.approx(81.0)
    assert (svm["train (s)"].mean, svm["map (s)"].mean) == pytest.approx((81.0, 16.2))
    assert svm["leakage (%)"].mean == pytest.approx(98.4)
    assert [name for name in RUNS if cells(table, name)["OA"].best] == ["PDML"]


def test_the_paper_s_number_stands_beside_the_same_method_only(tmp_path: Path) -> None:
    table = table_of(write_sweep(tmp_path, "results", RUNS))
    quoted = {name: cells(table, name)["paper (quoted), OA"].mean for name in RUNS}
    assert quoted == {
        "SVM, 7 \u00d7 7": 81.67, "SVM, spectrum": None, "CNN": 97.41, "CNN, own protocol": 97.41,
        "P-CNN": None, "PDML": 99.55,
    }  # fmt: skip
    assert "recipe paper for all networks alike" in " ".join(table.caption)


def test_without_compared_methods_all_is_as_it_was(tmp_path: Path) -> None:
    gathered = gather(write_sweep(tmp_path, "results", {"SSRN": (0.9,), "PDML": (0.95,)}))
    assert summary_table(gathered) is None
    assert [runs.variant.name for runs in gathered.runs] == ["SSRN", "PDML"]
    assert [claim.worse for claim in gathered.experiment.claims] == ["SSRN"]


def test_pdml_is_tested_against_each_of_them(tmp_path: Path) -> None:
    table = claims_table(gather(write_sweep(tmp_path, "results", RUNS)))
    assert table is not None
    named = [row[0].text for row in table.rows]
    assert "PDML beats SVM, 7 \u00d7 7" in named
    assert "PDML beats CNN, own protocol" in named
    assert len(named) == len(RUNS)  # SSRN, which was not run, and all but PDML itself


def test_in_blocks_nothing_is_quoted_and_files_say_so(tmp_path: Path) -> None:
    folder = write_sweep(tmp_path, "results", RUNS)
    manifest = {**folder.read_manifest(), "split": dict(BLOCKS)}
    folder.manifest.write_text(json.dumps(manifest), encoding="utf-8")
    gathered = gather(folder)
    assert gathered.stem == "results-indian_pines-blocks"
    assert not gathered.quoted.rows
    assert not any("quoted)" in cell.text for cell in methods_table(gathered).headings)


def test_a_split_other_than_blocks_is_refused() -> None:
    protocol = protocol_of("results", "ksc")
    assert protocol.asked_split("blocks", None) == {"strategy": "blocks", "guard_pixels": 9}
    assert protocol.asked_split(None, 0.05)["train"] == 0.05
    with pytest.raises(LookupError, match=r"unknown split of a sweep 'block'; did you mean 'bl"):
        protocol.asked_split("block", None)
    with pytest.raises(ValueError, match=r"blocks cannot be cut for a share of the labelled pixel"):
        protocol.asked_split("blocks", 0.05)
