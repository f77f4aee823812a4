"""Tables of made-up runs, worked out by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from pdml.evaluation.table.table import Cell, Table
from pdml.experiments.render.claims_table import claims_table
from pdml.experiments.render.gathered import gather, mean_and_std
from pdml.experiments.render.methods_table import methods_table
from pdml.experiments.render.score_table import score_table
from pdml.experiments.render.time_table import time_table
from tests.experiments.render.made_up import write_sweep

TWO_LOSSES = {"P. Contrastive": (0.99, 0.97), "Contrastive": (0.96, 0.96)}
METHODS = {"SSRN": (0.99, 0.98), "PDML": (0.995, 0.994)}


def column(table: Table, heading: str) -> list[Cell]:
    position = [cell.text for cell in table.headings].index(heading)
    return [row[position] for row in table.rows]


def row(table: Table, name: str) -> tuple[Cell, ...]:
    return next(cells for cells in table.rows if cells[0].text == name)


def test_means_and_spreads_are_those_of_the_sample() -> None:
    assert mean_and_std([1.0, 3.0]) == (2.0, math.sqrt(2))
    assert mean_and_std([4.0]) == (4.0, None)
    assert mean_and_std([]) == (None, None)


def test_our_scores_stand_beside_the_paper_s_with_the_distance_in_its_spread(
    tmp_path: Path,
) -> None:
    table = score_table(gather(write_sweep(tmp_path, "losses", TWO_LOSSES)))
    first, second = column(table, "OA")[:2]
    assert (first.mean, first.std) == pytest.approx((98.0, math.sqrt(2)))
    assert (second.mean, second.std) == pytest.approx((96.0, 0.0))
    assert (first.best, second.best) == (True, False)
    assert [cell.mean for cell in column(table, "AA")[:2]] == pytest.approx([97.0, 95.0])
    assert [cell.mean for cell in column(table, "\u03ba \u00d7 100")[:2]] == pytest.approx([96, 94])
    quoted = column(table, "paper (quoted), OA")
    assert (quoted[0].mean, quoted[0].std) == (99.55, 0.09)
    # (98 - 99.55) / 0.09 and (96 - 99.21) / 0.17
    distance = column(table, "(ours \u2212 paper) / \u03c3")
    assert [cell.text for cell in distance[:3]] == ["\u221217.2", "\u221218.9", "\u2013"]
    assert column(table, "leakage")[0].mean == pytest.approx(98.4)
    assert [cell.text for cell in column(table, "seeds")] == ["2", "2", "0", "0", "0", "0"]


def test_a_caption_says_all_that_the_numbers_depend_on(tmp_path: Path) -> None:
    table = score_table(gather(write_sweep(tmp_path, "losses", TWO_LOSSES)))
    assert " ".join(table.caption) == (
        "Ours: recipe paper with precision = 32, 2 epochs (not the 300 of the recipe), seeds 0, 1; "
        "per cent, mean \u00b1 standard deviation over seeds, AA is the mean recall. "
        "Split random (train 0.2, validation 0.1): 2055 pixels train, 1025 validate, 7169 test. "
        "Leakage: 98.4 % of the test pixels have a training pixel inside their own 5 \u00d7 5 "
        "patch, 100.0 % overlap a training patch. "
        "pdml 0.1.0, torch 2.6. "
        "'Paper' and 'quoted' mean numbers of the paper (tab:loss), not measured here. The "
        "difference is our mean OA less the paper's, in the paper's standard deviations."
    )


def test_a_twin_is_called_one_and_never_stands_beside_the_paper(tmp_path: Path) -> None:
    folder = write_sweep(tmp_path, "losses", TWO_LOSSES, dataset="ksc", twin=True)
    gathered = gather(folder)
    assert gathered.stem == "losses-ksc-twin"
    table = score_table(gathered)
    assert table.title.startswith("a twin of Kennedy Space Center")
    assert table.caption[0] == (
        "TWIN: a twin of Kennedy Space Center was computed, not measured; its scores cannot be "
        "compared with published ones."
    )
    said = " ".join([*(cell.text for cell in table.headings), *table.caption, *table.notes])
    assert "quoted" not in said
    assert "99.71" not in str(table)
    claims = claims_table(gathered)
    assert claims is not None
    assert claims.caption[0].startswith("TWIN: ")
    methods = gather(write_sweep(tmp_path / "m", "results", METHODS, dataset="ksc", twin=True))
    assert [cell.text for cell in methods_table(methods).headings] == [
        "", "SSRN (ours)", "PDML (ours)",
    ]  # fmt: skip


def test_the_main_table_has_all_methods_all_classes_and_footnotes(tmp_path: Path) -> None:
    table = methods_table(gather(write_sweep(tmp_path, "results", METHODS)))
    headings = [cell.text for cell in table.headings]
    assert headings[1:3] == ["SVM (quoted)", "SAE (quoted)"]
    assert headings[-4:] == ["SSRN (quoted)", "PDML (quoted)", "SSRN (ours)", "PDML (ours)"]
    assert len(table.rows) == 3 + 2 + 16
    assert table.rules == (2, 4)
    assert [cell.mean for cell in row(table, "leakage")[-3:]] == pytest.approx([None, 98.4, 98.4])
    of_oa = row(table, "OA")
    assert [cell.best for cell in of_oa] == [False] * 9 + [True, False, False]
    assert (of_oa[-1].mean, of_oa[-2].mean) == pytest.approx((99.45, 98.5))
    # (98.5 - 99.19) / 0.26 and (99.45 - 99.55) / 0.09
    distance = row(table, "(ours \u2212 paper) / \u03c3")
    assert [cell.text for cell in distance[-2:]] == ["\u22122.7", "\u22121.1"]
    slip = row(table, "\u03ba \u00d7 100")[headings.index("CNN (quoted)")]
    assert [table.notes[position] for position in slip.notes] == [
        "A slip of the paper: this is the kappa of SAE; the SSRN article has 97.05 and 0.49."
    ]
    assert row(table, "9 class 9")[headings.index("SVM (quoted)")].mean == 0.0


def test_on_houston_the_validation_chose_and_the_paper_s_reading_stands_beside_it(
    tmp_path: Path,
) -> None:
    folder = write_sweep(
        tmp_path, "results", {"SSRN": (0.8,), "PDML": (0.9,)}, dataset="houston2013",
        best_on_test=True, n_classes=15,
    )  # fmt: skip
    table = methods_table(gather(folder))
    assert [cells[0].text for cells in table.rows[:7]] == [
        "OA", "AA", "\u03ba \u00d7 100", "leakage", "(ours \u2212 paper) / \u03c3",
        "best on test, OA", "best on test: (ours \u2212 paper) / \u03c3",
    ]  # fmt: skip
    assert row(table, "OA")[-1].mean == pytest.approx(90.0)
    assert row(table, "best on test, OA")[-1].mean == pytest.approx(93.0)
    # (93 - 92.62) / 0.47; the paper gives no spread for SSRN
    last = row(table, "best on test: (ours \u2212 paper) / \u03c3")
    assert [cell.text for cell in last[-2:]] == ["\u2013", "+0.8"]
    assert any("the paper's reading for this scene" in one for one in table.caption)
    losses = write_sweep(
        tmp_path / "l", "losses", {"Npair": (0.9,)}, dataset="houston2013", best_on_test=True
    )
    shown = score_table(gather(losses))
    assert column(shown, "best on test, OA")[4].mean == pytest.approx(93.0)
    assert column(shown, "best on test: (ours \u2212 paper) / \u03c3")[4].text == "+3.1"


def test_runs_that_diverged_are_named_and_not_in_the_mean(tmp_path: Path) -> None:
    runs = {"1.0, 1.0, 1.0": (0.9, math.nan, 0.8)}
    table = score_table(gather(write_sweep(tmp_path, "lambdas", runs)))
    name = table.rows[0][0]
    assert table.notes[name.notes[0]] == (
        "The loss stopped being a number with seed 1; not in the mean."
    )
    assert column(table, "OA")[0].mean == pytest.approx(85.0)
    assert column(table, "seeds")[0].text == "2"


def test_claims_are_tested_over_the_seeds_that_both_have(tmp_path: Path) -> None:
    better = [0.90, 0.91, 0.92, 0.93, 0.94, 0.95, 0.99]
    worse = [0.895, 0.904, 0.913, 0.922, 0.931, 0.940]
    runs = {"P. Contrastive": better, "Contrastive": worse, "Npair": (0.95, 0.5)}
    table = claims_table(gather(write_sweep(tmp_path, "losses", runs)))
    assert table is not None
    cells = row(table, "P. Contrastive beats Contrastive")
    assert cells[1].text == "6"
    assert [cell.text for cell in cells[2:5]] == ["+0.75"] * 3
    wrong = [sum(1 - oa for oa in runs) for runs in (better[:6], worse)]
    assert cells[5].mean == pytest.approx(100 * (1 - wrong[0] / wrong[1]))
    assert cells[6].mean == pytest.approx(2 / 2**6)
    assert cells[7].text == "holds"
    few = row(table, "P. Contrastive beats Npair")
    assert (few[1].text, few[2].text, few[7].text) == ("2", "+18.00", "too few seeds")
    assert row(table, "P. Contrastive beats Softmax")[7].text == "not run"


def test_seconds_come_with_their_ratio(tmp_path: Path) -> None:
    folder = write_sweep(tmp_path, "time", {"SSRN": (0.2, 0.4), "PDML": (0.9, 0.9)})
    table = time_table(gather(folder))
    assert row(table, "SSRN, training, one epoch (s)")[1].mean == pytest.approx(3.0)
    assert row(table, "PDML / SSRN, training, one epoch")[1].mean == pytest.approx(3.0)
    quoted = row(table, "PDML / SSRN, training, one epoch")[2]
    assert quoted.mean == pytest.approx(986.61 / 262.69)
    assert any("take only the ratio" in sentence for sentence in table.caption)
