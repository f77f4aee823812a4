"""Numbers in the documentation are those that the code gives."""

from __future__ import annotations

import re

import pytest

import pdml
from tests.docs.blocks import ROOT

PAGE = (ROOT / "docs" / "explanation" / "splits_and_leakage.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def labels() -> pdml.LabelMap:
    return pdml.load_dataset("indian_pines", download=False).labels


def row(split: pdml.Split, name: str) -> str:
    near, far = pdml.leakage(split, 5), pdml.leakage(split, 9)
    shares = (near.own_patch_share, near.overlap_share, far.own_patch_share)
    cells = [name, str(len(split.train)), *(f"{100 * share:.1f} %" for share in shares)]
    return f"| Indian Pines | {' | '.join(cells)} |"


def test_the_leakage_of_random_splits_is_as_printed(labels: pdml.LabelMap) -> None:
    assert row(pdml.split_random(labels, train=0.2, validation=0.1), "random, 20 %") in PAGE
    assert row(pdml.split_random(labels, train=0.05, validation=0.05), "random, 5 %") in PAGE
    assert row(pdml.split_per_class(labels, train_per_class=10), "per-class, 10 pixels") in PAGE


def test_the_leakage_of_blocks_is_as_printed(labels: pdml.LabelMap) -> None:
    split = pdml.split_blocks(labels, patch_size=5)
    cells = row(split, "blocks").rpartition(" | ")[0]  # they were not made for 9 x 9
    assert cells in PAGE
    assert f"for {100 * pdml.leakage(split, 7).overlap_share:.1f} %" in PAGE
    assert split.how["dropped_pixels"] / split_size(labels) == pytest.approx(1 / 5, abs=0.01)


def test_the_leakage_of_polygons_is_as_printed() -> None:
    _, labels = pdml.synthetic_scene(100, 100, n_bands=8, n_classes=6, seed=0)
    shares = [
        pdml.leakage(split, 5).own_patch_share
        for split in (
            pdml.split_random(labels, train=0.25),
            pdml.split_polygons(labels),
            pdml.split_blocks(labels, patch_size=5),
        )
    ]
    assert f"\n{100 * shares[0]:.1f} % of the test pixels have a training pixel" in PAGE
    assert f"{100 * shares[1]:.1f} %\nafter the split by polygons" in PAGE
    assert shares[2] == 0


def split_size(labels: pdml.LabelMap) -> int:
    return len(labels.labelled)


def test_the_readme_says_what_a_random_split_leaks(labels: pdml.LabelMap) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    share = pdml.leakage(pdml.split_random(labels), 5).own_patch_share
    assert re.search(rf"\b{100 * share:.1f} % of the test pixels", readme)
