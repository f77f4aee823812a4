"""PDML with patches of 3, 5, 7 and 9 pixels."""

from __future__ import annotations

from pdml.experiments.experiment import EXPERIMENTS, Claim, Experiment, Variant

_SIDES = (3, 5, 7, 9)
_BEST = 5


@EXPERIMENTS.register
def patches() -> Experiment:
    """The declaration."""
    names = {side: f"{side} \u00d7 {side}" for side in _SIDES}
    return Experiment(
        name="patches",
        title="patch sizes",
        source="fig:patch_size",
        variants=tuple(
            Variant(name, {"patch_size": side}, series="PDML", at=name)
            for side, name in names.items()
        ),
        claims=tuple(Claim(names[_BEST], name) for side, name in names.items() if side != _BEST),
        shows="curve",
        axis="patch",
    )
