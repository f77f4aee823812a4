"""Finds the code in a page of the documentation that is marked to be run.

A block is marked by the line `<!-- run -->` above its fence; readers of the page do not see it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")], key=lambda page: page.as_posix()
)
_MARKED = re.compile(r"^<!-- run -->\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One marked block: its language and its text."""

    language: str
    text: str

    @property
    def commands(self) -> list[str]:
        """The commands of a shell block, one per line."""
        lines = self.text.replace("\\\n", " ").splitlines()
        return [line for line in lines if line.strip() and not line.startswith("#")]


def marked_blocks(page: Path) -> list[Block]:
    """The marked blocks of a page in their order."""
    return [Block(*found) for found in _MARKED.findall(page.read_text(encoding="utf-8"))]
