"""The report: one file that needs nothing else, complete, and without what is missing."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from pdml.errors import MissingFileError, UnknownNameError
from pdml.evaluation.metrics import Metrics
from pdml.evaluation.picture import save_picture
from pdml.evaluation.report import CAPTIONS, ReportData, render_report, write_report
from pdml.evaluation.report_tables import (
    class_rows,
    part_totals,
    run_rows,
    setting_rows,
    split_rows,
)

VOID = {"meta", "img", "br", "link", "input", "hr"}
HISTORY = [{"epoch": 1.0, "total": 2.0, "validation_oa": 0.5}]


class Checker(HTMLParser):
    """Follows opening and closing tags, and collects where files would be loaded from."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.sources: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remembers the tag and what it loads."""
        self.sources += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Checks that the tag opened last is closed first."""
        assert self.open.pop() == tag


def checked(html: str) -> Checker:
    checker = Checker()
    checker.feed(html)
    assert checker.open == []
    return checker


def headings(html: str) -> list[str]:
    return re.findall("<h2>(.*?)</h2>", html)


@pytest.fixture
def pictures(tmp_path: Path) -> dict[str, Path]:
    paths = {shows: tmp_path / f"{shows}.png" for shows in reversed(CAPTIONS)}
    for path in paths.values():
        save_picture(Figure(figsize=(0.5, 0.5)), path)
    return paths


def test_a_full_report_has_every_section_and_loads_nothing(
    metrics: Metrics, pictures: dict[str, Path], tmp_path: Path
) -> None:
    data = ReportData(metrics, {"epochs": 40}, HISTORY, pictures, ("#111111",) * 3)
    write_report(tmp_path / "report.html", data)
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert headings(html) == [
        "What was run",
        "How to read the scores",
        "Split and classes",
        "Confusion matrix",
        "Training",
        "Maps",
        "Embedding",
        "Where the time went",
        "Recipe",
    ]
    sources = checked(html).sources
    assert sources
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    assert all(base64.b64decode(source[22:]).startswith(b"\x89PNG") for source in sources)
    assert "<script" not in html
    assert "http" not in html


def test_scores_stand_together_with_their_leakage(metrics: Metrics) -> None:
    html = render_report(ReportData(metrics))
    for text in ("90.00 %", "85.00 %", "0.8000", "98.4 % of the test pixels"):
        assert text in html
    scores = html.partition('<dl class="scores">')[2].partition("</dl>")[0]
    assert "test pixels with a training pixel in their own patch</dt><dd>98.4 %</dd>" in scores


def test_an_empty_report_says_that_nothing_was_scored() -> None:
    html = render_report(ReportData({}))
    checked(html)
    assert "nothing was scored" in html
    assert headings(html) == []


def test_the_oracle_is_there_only_when_it_was_recorded(metrics: Metrics) -> None:
    assert "Oracle" not in render_report(ReportData(metrics))
    metrics["best_on_test"] = {"oa": 0.93, "epoch": 7}
    assert "Oracle: OA 93.00 % at epoch 7" in render_report(ReportData(metrics))


def test_names_cannot_inject_markup(metrics: Metrics) -> None:
    metrics["scene"] = "<script>alert(1)</script>"
    html = render_report(ReportData(metrics))
    assert "<script" not in html
    assert "soy &amp; hay" in html


def test_pictures_that_the_overview_shows_are_not_repeated(pictures: dict[str, Path]) -> None:
    whole = render_report(ReportData({}, pictures=pictures))
    assert CAPTIONS["class_map"] not in whole
    assert CAPTIONS["probability"] in whole
    del pictures["overview"]
    assert CAPTIONS["class_map"] in render_report(ReportData({}, pictures=pictures))


def test_the_worst_class_is_marked_and_one_without_test_pixels_is_not(metrics: Metrics) -> None:
    rows = {row.name: row for row in class_rows(metrics)}
    assert [name for name, row in rows.items() if row.is_worst] == ["soy & hay"]
    assert rows["woods"].recall == "no test pixels"
    assert rows["corn"].counts == ("1\N{NO-BREAK SPACE}200", "1", "12")
    assert "soy &amp; hay (worst)" in render_report(ReportData(metrics))


def test_polygons_are_counted_beside_the_pixels_of_each_class(metrics: Metrics) -> None:
    polygons = {"train": [3, 1, 1], "validation": [1, 1, 1], "test": [2, 1, 0]}
    split = {**metrics["split"], "strategy": "polygons", "polygons": polygons}
    drawn: Metrics = {**metrics, "split": split}
    assert class_rows(drawn)[0].counts == ("1\N{NO-BREAK SPACE}200 (3)", "1 (1)", "12 (2)")
    html = render_report(ReportData(drawn))
    assert "<h3>Pixels of each class (polygons) and how many were found</h3>" in html
    assert "polygons" not in split_rows(drawn)
    assert "(polygons)" not in render_report(ReportData(metrics))


def test_no_class_is_the_worst_when_all_are_perfect() -> None:
    perfect: Metrics = {"per_class": {"a": {"recall": 1.0, "support": 2}}}
    assert not any(row.is_worst for row in class_rows(perfect))


def test_without_scores_the_counts_of_the_split_are_shown() -> None:
    unscored: Metrics = {"split": {"strategy": "random", "counts": {"train": [3, 4]}}}
    rows = class_rows(unscored)
    assert [(row.name, row.counts[0]) for row in rows] == [("class 1", "3"), ("class 2", "4")]
    assert part_totals(unscored) == ["7", "\N{EN DASH}", "\N{EN DASH}"]
    html = render_report(ReportData(unscored))
    checked(html)
    assert "recall" not in html


def test_the_slowest_stage_comes_first(metrics: Metrics) -> None:
    html = render_report(ReportData(metrics))
    assert html.index("2 min 13 s") < html.index("1.2 s")


def test_settings_are_shown_as_a_person_would_write_them() -> None:
    shown = setting_rows({"flips": True, "kernel_l2": 0.0, "options": {}, "bands": [1, 2]})
    assert shown == {
        "flips": "yes",
        "kernel l2": "0.0",
        "options": "\N{EN DASH}",
        "bands": "1, 2",
    }


def test_what_was_run_leaves_out_what_is_not_known(metrics: Metrics) -> None:
    rows = run_rows(metrics)
    assert "dataset" not in rows
    assert rows["seed"] == "3"
    assert rows["versions"] == "pdml 0.1.0, python 3.11.9"


def test_an_unknown_picture_is_refused(tmp_path: Path) -> None:
    data = ReportData({}, pictures={"class_mop": tmp_path / "x.png"})
    with pytest.raises(UnknownNameError, match="unknown picture 'class_mop'; did you mean 'class"):
        write_report(tmp_path / "report.html", data)
    assert not (tmp_path / "report.html").exists()


def test_a_picture_that_is_not_there_is_named(tmp_path: Path) -> None:
    data = ReportData({}, pictures={"class_map": tmp_path / "none.png"})
    with pytest.raises(MissingFileError, match=r"picture 'class_map' must be a file, got .*none"):
        render_report(data)
