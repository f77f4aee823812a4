"""`pdml list` and `pdml datasets`."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdml.datasets.card import dataset_card, dataset_names
from pdml.embeddings.attention import ATTENTIONS
from pdml.embeddings.backbone import BACKBONES
from pdml.losses.metric_loss import METRIC_LOSSES
from pdml.scenes.reader import READERS
from pdml.splits.strategies import STRATEGIES
from pdml.training.recipe import recipe_names
from tests.cli.conftest import Cli


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("backbones", BACKBONES.names()),
        ("attention", ATTENTIONS.names()),
        ("losses", METRIC_LOSSES.names()),
        ("readers", READERS.names()),
        ("datasets", dataset_names()),
        ("recipes", recipe_names()),
        ("splits", list(STRATEGIES)),
    ],
)
def test_everything_of_a_kind_is_listed(cli: Cli, kind: str, names: list[str]) -> None:
    lines = cli("list", kind).out.splitlines()
    for name in names:
        line = next(line for line in lines if line.split()[:1] == [name])
        assert len(line.split()) > 3  # its name and a sentence


def test_an_unknown_kind_names_the_nearest(cli: Cli) -> None:
    outcome = cli("list", "backbone")
    assert outcome.code == 2
    assert outcome.err == "pdml: unknown list 'backbone'; did you mean 'backbones'?\n"


def test_the_datasets_are_listed_with_their_size(
    cli: Cli, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PDML_CACHE", str(place))
    monkeypatch.delenv("PDML_DATA", raising=False)
    lines = [line.split() for line in cli("datasets", "list").out.splitlines()]
    assert ["indian_pines", "145", "x", "145", "x", "200", "16", "10249", "yes"] in lines
    assert ["ksc", "512", "x", "614", "x", "176", "13", "5211", "no"] in lines


def test_everything_on_a_card_is_shown(
    cli: Cli, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PDML_CACHE", str(place))
    monkeypatch.setenv("PDML_DATA", str(place))
    (place / "Houston.mat").write_bytes(b"")
    card = dataset_card("houston2013")
    shown = cli("datasets", "info", "houston2013").out
    for text in (card.title, card.citation, card.terms, card.how_to_get, *card.about.values()):
        assert text in shown
    assert "349 x 1905 pixels, 144 bands" in shown
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    for number, name in enumerate(card.class_names):
        counts = card.counts["train"][number], card.counts["test"][number]
        assert f"{name} {card.colours[number]} {counts[0]} {counts[1]}" in lines
    assert "all 2832 12197" in lines
    assert f"cube: {place / 'Houston.mat'} (folder)" in lines
    assert any(line.startswith("train: ") and "not at hand" in line for line in lines)


def test_fetching_what_is_at_hand_says_where_it_is(cli: Cli) -> None:
    outcome = cli("datasets", "fetch", "indian_pines")
    assert outcome.code == 0
    for file in ("Indian_pines_corrected.npy", "Indian_pines_gt.npy"):
        assert file in outcome.out


def test_a_misspelt_dataset_names_the_nearest(cli: Cli) -> None:
    for command in ("info", "fetch"):
        outcome = cli("datasets", command, "salina")
        assert (outcome.code, outcome.out) == (2, "")
        assert "did you mean 'salinas'?" in outcome.err
