"""`pdml bench train`: a step of PDML, of its network alone, and of the plain way of writing it."""

from __future__ import annotations

from collections.abc import Callable

import torch

from pdml.benchmarks.measure import Candidate, alternate, gemm
from pdml.benchmarks.memory import peak_extra_megabytes
from pdml.benchmarks.result import BenchResult, Claim
from pdml.benchmarks.steps import fast_step, make_inputs, paper_recipe, plain_step, step_gflop

BATCH_SIZES = (16, 128)
PLAIN_UP_TO = 16
"""The plain step is measured at the paper's batch size only: at 128 it takes seconds."""


def bench_train(
    *, rounds: int = 15, on_round: Callable[[int, int], None] | None = None
) -> BenchResult:
    """Measures training steps on a scene of the size of Indian Pines."""
    pdml, alone = paper_recipe(), paper_recipe(plain_network=True)
    candidates = {"gemm 32": gemm(torch.float32), "gemm bf16": gemm(torch.bfloat16)}
    for batch in BATCH_SIZES:
        inputs = make_inputs(batch)
        work, work_alone = step_gflop(inputs, pdml), step_gflop(inputs, alone)
        repeats = max(1, 64 // batch)
        for precision in ("32", "bf16"):
            candidates[f"pdml {precision}, batch {batch}"] = Candidate(
                fast_step(inputs, pdml, precision), work, repeats
            )
            candidates[f"ssrn alone {precision}, batch {batch}"] = Candidate(
                fast_step(inputs, alone, precision), work_alone, repeats
            )
        if batch <= PLAIN_UP_TO:
            candidates[f"plain pdml 32, batch {batch}"] = Candidate(
                plain_step(inputs, pdml), work, repeats
            )
    timings = alternate(candidates, rounds=rounds, on_round=on_round)

    def seconds(name: str) -> float:
        return timings[name].median

    claims = [
        Claim(
            f"training step PDML / SSRN alone, 32 bits, batch {batch}",
            seconds(f"pdml 32, batch {batch}") / seconds(f"ssrn alone 32, batch {batch}"),
            at_most=limit,
        )
        for batch, limit in {16: 1.2, 128: 1.5}.items()
    ]
    plain = seconds("plain pdml 32, batch 16")
    best = min(seconds(f"pdml {precision}, batch 16") for precision in ("32", "bf16"))
    share = (timings["pdml 32, batch 16"].gflops or 0) / (timings["gemm 32"].gflops or 1)
    claims += [
        Claim(
            "samples/s against Conv3d and naive loss, 32 bits, batch 16",
            plain / seconds("pdml 32, batch 16"),
            at_least=2.2,
        ),
        Claim("the same, best precision", plain / best, at_least=3.8),
        Claim("share of the GEMM rate in a training step, 32 bits", share, at_least=0.75),
    ]
    memory = {
        "pdml 32, batch 128": peak_extra_megabytes(_prepare_fast),
        "plain pdml 32, batch 16": peak_extra_megabytes(_prepare_plain),
    }
    return BenchResult("train", timings, claims, memory)


def _prepare_fast() -> Callable[[], object]:
    return fast_step(make_inputs(128), paper_recipe(), "32")


def _prepare_plain() -> Callable[[], object]:
    return plain_step(make_inputs(16), paper_recipe())
