"""The registry on a package that is made for the test."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from pdml import registry
from pdml.errors import UnknownNameError
from pdml.registry import Registry

OAK = """
from trees_of_a_test import TREES
@TREES.register
class AnyNameWillDo: ...
"""


@pytest.fixture
def trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry[type]:
    """A package of two files; importing one of them fails."""
    package = tmp_path / "trees_of_a_test"
    package.mkdir()
    init = "from pdml.registry import Registry\nTREES = Registry('old tree', __name__)\n"
    (package / "__init__.py").write_text(init, encoding="utf-8")
    (package / "oak.py").write_text(OAK, encoding="utf-8")
    (package / "pine.py").write_text("raise RuntimeError('imported')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("trees_of_a_test", "trees_of_a_test.oak", "trees_of_a_test.pine"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    found: Registry[type] = __import__("trees_of_a_test").TREES
    return found


def test_names_are_the_files_and_nothing_is_imported_for_them(trees: Registry[type]) -> None:
    assert trees.names() == ["oak", "pine"]
    assert "trees_of_a_test.oak" not in sys.modules


def test_a_name_gives_what_its_file_registers_and_imports_no_other(trees: Registry[type]) -> None:
    oak = trees.get("oak")
    assert oak.__name__ == "AnyNameWillDo"
    assert trees.get("oak") is oak
    assert "trees_of_a_test.pine" not in sys.modules


def test_an_unknown_name_is_refused_with_the_nearest(trees: Registry[type]) -> None:
    with pytest.raises(UnknownNameError, match=r"^unknown old tree 'oakk'; did you mean 'oak'"):
        trees.get("oakk")


def test_a_class_of_any_module_registers_under_the_stem_of_its_file(trees: Registry[type]) -> None:
    @trees.register
    class Birch:
        __module__ = "somewhere.else.birch"

    assert trees.get("birch") is Birch
    assert trees.names() == ["birch", "oak", "pine"]


def test_other_distributions_add_names_with_an_entry_point(
    trees: Registry[type], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def installed(*, group: str) -> EntryPoints:
        asked.append(group)
        return EntryPoints([EntryPoint("fraction", "fractions:Fraction", group)])

    monkeypatch.setattr(registry, "entry_points", installed)
    assert trees.names() == ["fraction", "oak", "pine"]
    assert trees.get("fraction").__name__ == "Fraction"
    assert set(asked) == {"pdml.old_tree"}


def test_what_a_decorator_returns_is_the_class_itself(trees: Registry[type]) -> None:
    class Elm: ...

    assert trees.register(Elm) is Elm
