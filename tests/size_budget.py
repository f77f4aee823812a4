"""Keeps files and functions small: prints what is over the budget and exits 1 if anything is.

Run it from anywhere: `python tests/size_budget.py`.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

MOST_LINES = 400
MOST_FUNCTION_LINES = 60
MOST_POSITIONAL = 6
MEDIAN_LINES = 150  # of the files under src
FOLDERS = ("src", "tests", "examples", "docs")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def over_budget(root: Path) -> list[str]:
    """Everything in a source tree that is too large, one line each.

    Args:
        root: Folder with `src`, `tests`, `examples` and `docs`; those that are absent are skipped.
    """
    found = []
    lengths = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            n_lines = len(text.splitlines())
            if folder == "src":
                lengths.append(n_lines)
            name = path.relative_to(root)
            if n_lines > MOST_LINES:
                found.append(f"{name}: {n_lines} lines, at most {MOST_LINES}")
            found += [f"{name}:{excess}" for excess in _large_functions(ast.parse(text))]
    median = statistics.median(lengths) if lengths else 0
    if median > MEDIAN_LINES:
        found.append(f"src: median file length {median:g} lines, at most {MEDIAN_LINES}")
    return found


def _large_functions(tree: ast.Module) -> Iterator[str]:
    methods = {
        item
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for item in node.body
        if isinstance(item, Function) and not _is_static(item)
    }
    for node in ast.walk(tree):
        if not isinstance(node, Function):
            continue
        where = f"{node.lineno}: {node.name}"
        n_lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if n_lines > MOST_FUNCTION_LINES:
            yield f"{where} has {n_lines} lines, at most {MOST_FUNCTION_LINES}"
        n_positional = len(node.args.posonlyargs) + len(node.args.args) - (node in methods)
        if n_positional > MOST_POSITIONAL:
            yield f"{where} takes {n_positional} positional parameters, at most {MOST_POSITIONAL}"


def _is_static(function: Function) -> bool:
    """Whether a method has no `self` or `cls` in front."""
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)


def main() -> int:
    """Prints what is over the budget of this repository."""
    found = over_budget(Path(__file__).parents[1])
    sys.stdout.write("".join(f"{line}\n" for line in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
