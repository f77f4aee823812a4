"""The weights of the three terms of the loss."""

from __future__ import annotations

from pdml.experiments.experiment import EXPERIMENTS, Claim, Experiment, Variant

_WEIGHTS = (
    (1.0, 1.0, 1.0),
    (1.0, 1.0, 0.5),
    (1.0, 1.0, 0.0),
    (1.0, 0.5, 1.0),
    (1.0, 0.0, 1.0),
    (0.5, 1.0, 1.0),
    (0.0, 1.0, 1.0),
)


@EXPERIMENTS.register
def lambdas() -> Experiment:
    """The declaration."""
    names = [", ".join(f"{weight:.1f}" for weight in weights) for weights in _WEIGHTS]
    keys = ("lambda_variance", "lambda_pairs", "lambda_classes")
    return Experiment(
        name="lambdas",
        title="weights \u03bb\u2081, \u03bb\u2082, \u03bb\u2083 of variance, pairs and classes",
        source="tab:parameter",
        variants=tuple(
            Variant(name, dict(zip(keys, weights, strict=True)))
            for name, weights in zip(names, _WEIGHTS, strict=True)
        ),
        claims=tuple(Claim(names[0], other) for other in names[1:]),
    )
