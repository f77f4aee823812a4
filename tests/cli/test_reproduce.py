"""`pdml reproduce` as a user calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.experiments.sweep.tiny_sweep import SETTINGS

_RECIPE = (("--set", f"{key}={text}") for key, text in SETTINGS.items())
TINY = (*(word for words in _RECIPE for word in words), "--dataset", "synthetic", "--device", "cpu")


def test_a_sweep_runs_renders_and_does_nothing_the_second_time(cli: Cli, place: Path) -> None:
    command = ("reproduce", "results", *TINY, "--seeds", "0:2", "--out", "out")
    first = cli(*command)
    assert (first.code, first.err) == (0, "")
    assert "results: classification results, on synthetic; 4 runs of 1 epoch in out." in first.out
    assert "SSRN, seed 0 ..." in first.out
    assert "4 of 4 runs" in first.out
    assert "| OA |" in first.out
    assert "Ours: recipe paper with patch_size = 3" in first.out
    assert str(Path("out") / "results-synthetic.md") in first.out
    before = (place / "out" / "runs.jsonl").read_bytes()
    again = cli(*command)
    assert again.code == 0
    assert "Finished before: 4 of 4 runs." in again.out
    assert "seed 0 ..." not in again.out
    assert (place / "out" / "runs.jsonl").read_bytes() == before

    (place / "out" / "results-synthetic.csv").unlink()
    rendered = cli(
        "reproduce", "results", "--dataset", "synthetic", "--render-only", "--out", "out"
    )
    assert rendered.code == 0
    assert "runs" not in rendered.out.partition("##")[0]
    assert (place / "out" / "results-synthetic.csv").is_file()
    other = cli("reproduce", "maps", "--dataset", "synthetic", "--render-only", "--out", "out")
    assert other.err == (
        "pdml: out holds another sweep: experiment was 'results', now it is 'maps'; choose "
        "another --out, or ask for what is in the folder\n"
    )
    longer = cli(*command[:-2], "--set", "epochs=2", "--out", "out")
    assert "recipe.epochs was 1, now it is 2" in longer.err


def test_some_variants_go_where_they_belong_without_an_out(cli: Cli, place: Path) -> None:
    outcome = cli("reproduce", "patches", *TINY, "--seeds", "1", "--variant", "5 \u00d7 5")
    assert outcome.code == 0
    folder = place / "results" / "patches-synthetic"
    assert (folder / "runs.jsonl").read_text(encoding="utf-8").count("\n") == 1


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "unknown experiment": (
        ("loses",),
        "unknown experiment 'loses'; there are: architectures, gaussians, honest, lambdas,",
    ),
    "not a scene of the paper": (
        ("losses", "--dataset", "salinas"),
        "indian_pines, pavia_university, ksc, houston2013, synthetic), got 'salinas'",
    ),
    "unknown scene": (("losses", "--dataset", "indian"), "did you mean 'indian_pines'?"),
    "seeds": (("losses", "--seeds", "ten"), "seeds must be a range such as 0:10 (0 to 9)"),
    "setting": (("losses", "--set", "epochs"), "--set must be KEY=VALUE, got 'epochs'"),
    "unknown recipe": (("losses", "--recipe", "papper"), "did you mean 'paper'?"),
    "unknown variant": (
        ("results", *TINY, "--variant", "SSNR"),
        "unknown variant of 'results' 'SSNR'; did you mean 'SSRN'?",
    ),
    "no jobs": (("results", *TINY, "--jobs", "0"), "--jobs must be 1 or more, got 0"),
    "unknown device": (("results", *TINY, "--device", "gpu"), "unknown device 'gpu'"),
    "nothing to render": (("losses", "--render-only"), "must be the folder of a sweep, but sweep"),
    "twin of nothing": (("results", *TINY, "--twin"), "a twin stands for a real scene"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_nothing_is_written(cli: Cli, place: Path, case: str) -> None:
    args, message = BAD[case]
    before = sorted(place.iterdir())
    outcome = cli("reproduce", *args, "--out", "out")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert outcome.err.startswith("pdml: ")
    assert message in outcome.err
    assert sorted(place.iterdir()) == before


def test_help_shows_examples(cli: Cli) -> None:
    shown = cli("reproduce", "--help")
    assert shown.code == 0
    assert shown.out.count("pdml reproduce ") >= 3


def test_experiments_are_listed(cli: Cli) -> None:
    assert "Six losses in the embedding space" in cli("list", "experiments").out


def test_compared_methods_are_added_to_a_sweep_and_drawn_side_by_side(
    cli: Cli, place: Path
) -> None:
    command = ("reproduce", "results", *TINY, "--seeds", "0", "--out", "out")
    first = cli(*command, "--variant", "PDML")
    assert first.code == 0
    before = (place / "out" / "runs.jsonl").read_bytes()
    assert not (place / "out" / "results-synthetic-methods.csv").exists()
    second = cli(*command, "--methods", "rf, spa", "--protocols", "common,own")
    assert (second.code, second.err) == (0, "")
    assert "Finished before: 1 of 4 runs." in second.out
    assert (place / "out" / "runs.jsonl").read_bytes().startswith(before)
    for row in ("| RF, spectrum | exact | no network |", "| SPA, own protocol | exact | own "):
        assert row in second.out
    files = {path.name for path in (place / "out").iterdir()}
    assert files >= {"results-synthetic-maps.png", "results-synthetic-methods.csv"}
    assert len(list((place / "out" / "kept").iterdir())) == 4


def test_blocks_are_asked_for_instead_of_the_paper_s_split(cli: Cli, place: Path) -> None:
    command = ("reproduce", "results", *TINY, "--seeds", "0", "--methods", "rf")
    assert cli(*command, "--split", "blocks").code == 0
    folder = place / "results" / "results-synthetic-blocks"
    text = (folder / "results-synthetic-blocks.md").read_text(encoding="utf-8")
    assert "Split blocks (guard_pixels 9)" in text
    other = cli(*command, "--out", folder)
    assert "holds another sweep: split.strategy was 'blocks', now it is 'random'" in other.err


def test_methods_belong_to_the_table_of_results(cli: Cli) -> None:
    outcome = cli("reproduce", "losses", *TINY, "--methods", "svm")
    assert outcome.code == 2
    assert outcome.err == (
        "pdml: --methods belongs to the experiment 'results', got it with 'losses'; leave it out, "
        "or name the rows with --variant\n"
    )
