"""The methods that PDML is compared with, as variants of the table of results.

A network has up to three columns: on the one protocol that all share, as its article trains it, and
under PDML. A classical method has one: what it needs beside its inputs it finds on training pixels.
"""

from __future__ import annotations

from collections.abc import Sequence

from pdml.baselines.method import METHODS, Method, NetworkMethod, method_named
from pdml.errors import unknown_name
from pdml.experiments.experiment import Variant

COMMON, OWN, PDML = PROTOCOLS_OF_METHODS = ("common", "own", "pdml")
DEFAULT_PROTOCOLS = (COMMON, OWN)
BASE = "ssrn"
"""The network that the recipe has anyway: its plain form and PDML are variants of their own."""

ALL = "all"


def method_variants() -> tuple[Variant, ...]:
    """All columns that are run when they are asked for, classical methods first."""
    named = {name: method_named(name) for name in METHODS.names()}
    ordered = sorted(named, key=lambda name: (isinstance(named[name], NetworkMethod), name))
    return tuple(
        variant for name in ordered for variant in _variants(name, named[name]).values() if variant
    )


def variant_names(methods: Sequence[str], protocols: Sequence[str]) -> tuple[str, ...]:
    """Names of the variants of some methods, and PDML, which they are compared with.

    Args:
        methods: Names of methods, or `all`.
        protocols: Which columns of each network: `common`, `own`, `pdml`.

    Raises:
        UnknownNameError: If there is no such method or protocol.
    """
    for protocol in protocols:
        if protocol not in PROTOCOLS_OF_METHODS:
            raise unknown_name("protocol", protocol, PROTOCOLS_OF_METHODS)
    chosen = METHODS.names() if ALL in methods else methods
    found: list[str] = []
    for name in chosen:
        method = method_named(name)
        network = isinstance(method, NetworkMethod)
        existing = {COMMON: "SSRN", PDML: "PDML"} if name == BASE else {}
        for protocol in protocols if network else (COMMON,):
            variant = _variants(name, method)[protocol]
            known = existing.get(protocol) or (variant.name if variant else "")
            found += [known] if known else []
    return tuple(dict.fromkeys([*found, "PDML"]))


def _variants(name: str, method: Method) -> dict[str, Variant | None]:
    """The columns of a method by protocol."""
    label = method.name_in_tables
    plain = getattr(method, "plain", {})
    found: dict[str, Variant | None] = dict.fromkeys(PROTOCOLS_OF_METHODS)
    if name != BASE:
        found[COMMON] = Variant(label, plain, method=name, quoted=method.column)
    if isinstance(method, NetworkMethod):
        found[OWN] = Variant(
            f"{label}, own protocol", method.own, method=name, quoted=method.column,
            own_protocol=True,
        )  # fmt: skip
        if method.gaussian is not None and name != BASE:
            found[PDML] = Variant(f"P-{label}", method.gaussian, method=name)
    return found
