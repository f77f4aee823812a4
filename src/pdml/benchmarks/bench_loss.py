"""`pdml bench loss`: the tiled pair loss against the one that materialises all pairs."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from pdml.benchmarks.measure import Candidate, alternate, gemm
from pdml.benchmarks.memory import peak_extra_megabytes
from pdml.benchmarks.naive_pair_loss import naive_pair_loss
from pdml.benchmarks.result import BenchResult, Claim
from pdml.benchmarks.steps import pair_loss_gflop
from pdml.losses.match_loss import match_loss

N_PIXELS = {16: 16 * 25, 128: 128 * 25}
N_SAMPLES = 3
SIZE = 64


def bench_loss(
    *, rounds: int = 15, on_round: Callable[[int, int], None] | None = None
) -> BenchResult:
    """Measures the pair loss, forward and backward, at the paper's two batch sizes."""
    candidates = {"gemm 32": gemm(torch.float32)}
    for batch, n_pixels in N_PIXELS.items():
        gflop = pair_loss_gflop(n_pixels, N_SAMPLES, SIZE)
        repeats = 10 if batch == 16 else 1
        candidates[f"tiled, batch {batch}"] = Candidate(_tiled(n_pixels), gflop, repeats)
        candidates[f"naive, batch {batch}"] = Candidate(
            _naive(n_pixels), gflop, every=1 if batch == 16 else 3
        )
    timings = alternate(candidates, rounds=rounds, on_round=on_round)
    memory = {
        "tiled, batch 128": peak_extra_megabytes(_prepare_tiled),
        "naive, batch 128": peak_extra_megabytes(_prepare_naive),
    }
    claims = [
        Claim(
            f"pair loss, naive / tiled, batch {batch}",
            timings[f"naive, batch {batch}"].median / timings[f"tiled, batch {batch}"].median,
            at_least=15.0 if batch == 128 else None,
        )
        for batch in N_PIXELS
    ]
    claims.append(
        Claim("extra memory of the tiled loss, batch 128, MB", memory["tiled, batch 128"], 200.0)
    )
    return BenchResult("loss", timings, claims, memory)


def _tensors(n_pixels: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    samples = torch.randn(n_pixels, N_SAMPLES, SIZE, generator=generator, requires_grad=True)
    classes = torch.randint(16, (n_pixels // 25,), generator=generator).repeat_interleave(25)
    a = torch.tensor(1.0, requires_grad=True)
    b = torch.tensor(11.0, requires_grad=True)  # near the median distance of such samples
    return samples, classes, a, b


def _tiled(n_pixels: int) -> Callable[[], object]:
    samples, classes, a, b = _tensors(n_pixels)
    return lambda: torch.autograd.backward(match_loss(samples, classes, a, b))


def _naive(n_pixels: int) -> Callable[[], object]:
    samples, classes, a, b = _tensors(n_pixels)
    return lambda: torch.autograd.backward(naive_pair_loss(samples, classes, a, b))


def _prepare_tiled() -> Callable[[], object]:
    return _tiled(N_PIXELS[128])


def _prepare_naive() -> Callable[[], object]:
    return _naive(N_PIXELS[128])
