"""The size budget notices what it should, and this repository keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.size_budget import main, over_budget


def written(root: Path, name: str, text: str) -> Path:
    """A source tree with one file in it."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return root


def test_a_tree_within_the_budget_gives_nothing(tmp_path: Path) -> None:
    assert over_budget(written(tmp_path, "src/pdml/small.py", "x = 1\n")) == []


@pytest.mark.parametrize("folder", ["src", "tests", "examples", "docs"])
def test_a_long_file_is_found_in_every_folder(tmp_path: Path, folder: str) -> None:
    root = written(tmp_path, f"{folder}/long.py", "x = 1\n" * 401)
    assert f"{folder}/long.py: 401 lines, at most 400" in over_budget(root)


def test_a_file_of_exactly_400_lines_is_within_the_budget(tmp_path: Path) -> None:
    assert over_budget(written(tmp_path, "tests/long.py", "x = 1\n" * 400)) == []


def test_a_long_function_is_found_with_its_line(tmp_path: Path) -> None:
    root = written(tmp_path, "src/one.py", "\n\ndef long():\n" + "    pass\n" * 60)
    assert over_budget(root) == ["src/one.py:3: long has 61 lines, at most 60"]


def test_seven_positional_parameters_are_too_many_and_keywords_do_not_count(
    tmp_path: Path,
) -> None:
    text = "def six(a, b, c, d, e, f, *, g, h): ...\ndef seven(a, b, c, /, d, e, f, g): ...\n"
    assert over_budget(written(tmp_path, "src/one.py", text)) == [
        "src/one.py:2: seven takes 7 positional parameters, at most 6"
    ]


def test_self_does_not_count_as_a_parameter_but_a_static_method_has_none(tmp_path: Path) -> None:
    text = (
        "class One:\n"
        "    def six(self, a, b, c, d, e, f): ...\n"
        "    @staticmethod\n"
        "    def seven(a, b, c, d, e, f, g): ...\n"
    )
    assert over_budget(written(tmp_path, "src/one.py", text)) == [
        "src/one.py:4: seven takes 7 positional parameters, at most 6"
    ]


def test_the_median_counts_only_files_under_src(tmp_path: Path) -> None:
    written(tmp_path, "src/one.py", "x = 1\n" * 100)
    written(tmp_path, "src/two.py", "x = 1\n" * 202)
    written(tmp_path, "tests/short.py", "x = 1\n")
    assert over_budget(tmp_path) == ["src: median file length 151 lines, at most 150"]


def test_this_repository_keeps_its_budget(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0, capsys.readouterr().out
