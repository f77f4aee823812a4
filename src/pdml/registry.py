"""The only registry: a class in a new file registers itself under its file's stem.

    BACKBONES: Registry[type[Backbone]] = Registry("backbone", "pdml.embeddings.backbones")

    @BACKBONES.register          # in pdml/embeddings/backbones/ssrn.py: the name is "ssrn"
    class Ssrn(Backbone): ...

There is no list to edit: names are the files of the package. Other distributions add theirs with an
entry point in the group `pdml.<kind>` whose name is the registered name.
"""

from __future__ import annotations

import importlib
import pkgutil
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from pdml.errors import PdmlError, unknown_name

T = TypeVar("T")


class Registry(Generic[T]):
    """Finds things of one kind by name, importing only the file that is asked for.

    Args:
        kind: What is registered, in the singular; used in messages and as the entry-point group.
        packages: The packages in which each file registers one thing.
    """

    def __init__(self, kind: str, *packages: str) -> None:
        self.kind = kind
        self._packages = packages
        self._found: dict[str, T] = {}

    def register(self, thing: T) -> T:
        """Registers a class or function under the stem of the file that defines it."""
        module: str = getattr(thing, "__module__", "")
        self._found[module.rpartition(".")[2]] = thing
        return thing

    def names(self) -> list[str]:
        """All names in alphabetical order, without importing what stands behind them."""
        return sorted({*self._files(), *self._found, *self._entry_points()})

    def get(self, name: str) -> T:
        """The thing registered under a name.

        Raises:
            UnknownNameError: If there is none; the message names the nearest.
        """
        if name not in self._found:
            known = self.names()
            if name not in known:
                raise unknown_name(self.kind, name, known)
            outside = self._entry_points().get(name)
            if outside is not None:
                self._found[name] = outside.load()
            else:
                module = self._files()[name]
                importlib.import_module(module)
                if name not in self._found:
                    raise PdmlError(
                        f"the file {module} must register a {self.kind}, it registers none; "
                        "decorate its class with the registry's `register`"
                    )
        return self._found[name]

    def _files(self) -> dict[str, str]:
        """The module of each file."""
        return {
            info.name: f"{package}.{info.name}"
            for package in self._packages
            for info in pkgutil.iter_modules(importlib.import_module(package).__path__)
        }

    def _entry_points(self) -> dict[str, EntryPoint]:
        group = f"pdml.{self.kind.replace(' ', '_')}"
        return {point.name: point for point in entry_points(group=group)}
