"""`Gathered`: the finished runs of a sweep by variant, with the paper's numbers beside them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pdml.experiments.experiment import Experiment, Variant, experiment_named
from pdml.experiments.protocol import PROTOCOLS
from pdml.experiments.quoted import Quoted, quoted_numbers
from pdml.experiments.search import searched_variant
from pdml.experiments.sweep.store import Record, SweepFolder

SCORES = {
    "oa": "OA",
    "aa": "AA",
    "kappa": "\N{GREEK SMALL LETTER KAPPA} \N{MULTIPLICATION SIGN} 100",
}
LEAKAGE = "leakage"


@dataclass(frozen=True)
class VariantRuns:
    """The runs of one variant.

    Attributes:
        variant: The variant.
        records: Runs with scores, by seed.
        diverged: Seeds whose loss stopped being a number.
    """

    variant: Variant
    records: tuple[Record, ...]
    diverged: tuple[int, ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        """Seeds with scores."""
        return tuple(record["seed"] for record in self.records)

    def scores(self, score: str) -> dict[int, float]:
        """OA, AA or kappa in per cent by seed."""
        return {
            record["seed"]: 100 * record[score]
            for record in self.records
            if record.get(score) is not None
        }

    def leakage(self) -> dict[int, float]:
        """Per cent of the test pixels with a training pixel in their own patch, by seed."""
        return {
            record["seed"]: 100 * record["leakage"]["own_patch_share"]
            for record in self.records
            if "leakage" in record
        }

    def best_on_test(self) -> dict[int, float]:
        """The best OA on test pixels of any epoch in per cent by seed, where it was watched."""
        return {
            record["seed"]: 100 * record["best_on_test"]["oa"]
            for record in self.records
            if "best_on_test" in record
        }


@dataclass(frozen=True)
class Gathered:
    """All that is known when a sweep is rendered.

    Attributes:
        experiment: What is compared.
        manifest: What all runs have in common.
        runs: The runs of each variant, in the order of the declaration.
        quoted: The paper's numbers; empty for a twin and for blocks, beside whose scores they must
            not stand.
    """

    experiment: Experiment
    manifest: dict[str, Any]
    runs: tuple[VariantRuns, ...]
    quoted: Quoted

    @property
    def twin(self) -> bool:
        """Whether a twin stands for the scene."""
        return bool(self.manifest["twin"])

    @property
    def stem(self) -> str:
        """Beginning of all file names."""
        twin = "-twin" if self.twin else ""
        blocks = "-blocks" if self.in_blocks else ""
        return f"{self.experiment.name}-{self.manifest['dataset']}{twin}{blocks}"

    @property
    def in_blocks(self) -> bool:
        """Whether the split is not the paper's but keeps training and test apart."""
        return bool(self.manifest["split"]["strategy"] == "blocks")

    @property
    def scene_title(self) -> str:
        """The scene in words."""
        title = PROTOCOLS[self.manifest["dataset"]].title
        return f"a twin of {title}" if self.twin else title

    @property
    def records(self) -> list[Record]:
        """All runs with scores."""
        return [record for runs in self.runs for record in runs.records]

    def of(self, name: str) -> VariantRuns:
        """The runs of a variant."""
        return next(runs for runs in self.runs if runs.variant.name == name)


def gather(folder: SweepFolder) -> Gathered:
    """Reads a sweep.

    Raises:
        PdmlError: If the folder holds none.
    """
    manifest = folder.read_manifest()
    experiment = experiment_named(manifest["experiment"])
    records = list(folder.records(twin=manifest["twin"]).values())
    quoted = quoted_numbers(experiment.name, manifest["dataset"])
    if manifest["twin"] or manifest["split"]["strategy"] == "blocks":
        quoted = Quoted()
    shown = _shown(experiment, dict.fromkeys(record["variant"] for record in records))
    runs = tuple(_runs(variant, records) for variant in shown.variants)
    return Gathered(shown, manifest, runs, quoted)


def _shown(experiment: Experiment, run: Collection[str]) -> Experiment:
    """The experiment without the compared methods that nobody asked for.

    A search has those changes besides that were asked for and not declared.
    """
    variants = [v for v in experiment.variants if not v.method or v.name in run]
    names = {variant.name for variant in variants}
    if experiment.judged_by == "validation":
        variants += [searched_variant(experiment, name) for name in run if name not in names]
    claims = tuple(claim for claim in experiment.claims if {claim.better, claim.worse} <= names)
    return replace(experiment, variants=tuple(variants), claims=claims)


def _runs(variant: Variant, records: Sequence[Record]) -> VariantRuns:
    own = sorted((r for r in records if r["variant"] == variant.name), key=lambda r: r["seed"])
    return VariantRuns(
        variant,
        tuple(record for record in own if "diverged" not in record),
        tuple(record["seed"] for record in own if "diverged" in record),
    )


def mean_and_std(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Mean and standard deviation over runs; None where there are too few."""
    if not values:
        return None, None
    return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None
