"""Links between pages, and to pictures and files, lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import PAGES, ROOT

_LINK = re.compile(r"\]\(([^)\s]+)\)")
FIGURES = ROOT / "docs" / "figures"
LARGEST_PICTURE = 200_000


def links(page: Path) -> list[str]:
    return [link for link in _LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_leads_to_a_file(page: Path) -> None:
    broken = [link for link in links(page) if not (page.parent / link).exists()]
    assert broken == []


def test_the_contents_lead_to_every_page() -> None:
    index = ROOT / "docs" / "index.md"
    reached = {(index.parent / link).resolve() for link in links(index)}
    pages = set((ROOT / "docs").rglob("*.md")) - {index}
    assert {page.resolve() for page in pages} <= reached


def test_figures_that_are_drawn_by_the_script_are_there_and_small() -> None:
    script = (FIGURES / "make_figures.py").read_text(encoding="utf-8")
    names = re.findall(r'^    "(\w+)": \w+_figure,$', script, re.MULTILINE)
    assert len(names) == 5
    for name in names:
        assert 0 < (FIGURES / f"{name}.png").stat().st_size < LARGEST_PICTURE
