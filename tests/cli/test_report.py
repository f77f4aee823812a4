"""`pdml report`: pictures and report are drawn again."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Cli


def test_what_was_deleted_is_drawn_again(cli: Cli, own_run: Path) -> None:
    drawn = {file: file.read_bytes() for file in own_run.glob("*.png")}
    assert drawn
    for file in [*drawn, own_run / "report.html"]:
        file.unlink()
    outcome = cli("report", own_run)
    assert (outcome.code, outcome.err) == (0, "")
    assert {file: file.read_bytes() for file in own_run.glob("*.png")} == drawn
    assert "random" in (own_run / "report.html").read_text()
    assert f"Report:   {own_run / 'report.html'}" in outcome.out


def test_a_run_without_a_map_is_refused(cli: Cli, own_run: Path) -> None:
    (own_run / "map.npz").unlink()
    outcome = cli("report", own_run)
    assert outcome.code == 2
    assert "there is no map" in outcome.err
