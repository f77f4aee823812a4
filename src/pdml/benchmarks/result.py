"""What a measurement says: timings, and what follows from them, each against its aim."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

import pdml
from pdml.benchmarks.measure import Timing


@dataclass(frozen=True)
class Claim:
    """A ratio or a quantity, with what it should be.

    Attributes:
        what: In words.
        value: As measured.
        at_most: Upper aim, where there is one.
        at_least: Lower aim, where there is one.
    """

    what: str
    value: float
    at_most: float | None = None
    at_least: float | None = None

    @property
    def aim(self) -> str:
        """The aim in words, or nothing."""
        if self.at_most is not None:
            return f"at most {self.at_most:g}"
        return f"at least {self.at_least:g}" if self.at_least is not None else ""

    @property
    def holds(self) -> bool:
        """Whether the aim is met."""
        return (self.at_most is None or self.value <= self.at_most) and (
            self.at_least is None or self.value >= self.at_least
        )


@dataclass(frozen=True)
class BenchResult:
    """One measurement.

    Attributes:
        name: `train`, `loss` or `map`.
        timings: By what was measured.
        claims: What follows.
        memory: Peak extra memory in MB by what was measured.
    """

    name: str
    timings: Mapping[str, Timing]
    claims: Sequence[Claim]
    memory: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """All of it for JSON, with the machine that it was measured on."""
        return {
            "name": self.name,
            "timings": {
                name: {
                    "median_seconds": timing.median,
                    "spread": timing.spread,
                    "gflop": timing.gflop,
                    "gflops": timing.gflops,
                    "seconds": timing.seconds,
                }
                for name, timing in self.timings.items()
            },
            "claims": [
                {"what": c.what, "value": c.value, "aim": c.aim, "holds": c.holds}
                for c in self.claims
            ],
            "memory_mb": dict(self.memory),
            "machine": {
                "processor": platform.machine(),
                "threads": torch.get_num_threads(),
                "simd": torch.backends.cpu.get_cpu_capability(),
                "torch": torch.__version__,
                "pdml": pdml.__version__,
            },
        }
