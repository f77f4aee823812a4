"""Each pixel as one, two or three Gaussians."""

from __future__ import annotations

from pdml.experiments.experiment import EXPERIMENTS, Claim, Experiment, Variant


@EXPERIMENTS.register
def gaussians() -> Experiment:
    """The declaration."""
    return Experiment(
        name="gaussians",
        title="numbers of Gaussians per pixel",
        source="tab:Gaussian",
        variants=(Variant("1"), *(Variant(str(n), {"n_gaussians": n}) for n in (2, 3))),
        claims=(Claim("1", "2"), Claim("1", "3")),
    )
