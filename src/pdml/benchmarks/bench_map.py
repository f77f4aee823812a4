"""`pdml bench map`: a whole scene mapped at once against patch by patch."""

from __future__ import annotations

from collections.abc import Callable

import torch

from pdml.benchmarks.measure import Candidate, alternate, gemm
from pdml.benchmarks.memory import peak_extra_megabytes
from pdml.benchmarks.result import BenchResult, Claim
from pdml.benchmarks.steps import PlainModel, make_inputs, paper_recipe, spec_for
from pdml.embeddings.backbones.ssrn import Ssrn
from pdml.embeddings.model import Model
from pdml.embeddings.predict import predict_pixels
from pdml.embeddings.residual_spectra import n_band_positions
from pdml.errors import InvalidInputError
from pdml.patches.source import PatchSource

PLAIN_BATCH = 512
PLAIN_PIXELS = 8 * PLAIN_BATCH
"""Patch by patch is measured on a part of the scene; its time per pixel is the same everywhere."""


def bench_map(
    *, rounds: int = 9, on_round: Callable[[int, int], None] | None = None
) -> BenchResult:
    """Measures the mapping of a scene of the size of Indian Pines."""
    source = make_inputs(1).source
    n_pixels = source.grid.n_rows * source.grid.n_cols
    model = Model(spec_for(paper_recipe(), source.n_bands)).eval()
    gflop = _map_gflop(model, source)
    everywhere = torch.arange(n_pixels)
    candidates = {
        "gemm 32": gemm(torch.float32),
        "gemm bf16": gemm(torch.bfloat16),
        "scene 32": Candidate(lambda: predict_pixels(model, source, everywhere), gflop),
        "scene bf16": Candidate(
            lambda: predict_pixels(model, source, everywhere, precision="bf16"), gflop
        ),
        "patch by patch, part": Candidate(
            lambda: _patch_by_patch(PlainModel(model).eval(), source, everywhere[:PLAIN_PIXELS])
        ),
    }
    timings = alternate(candidates, rounds=rounds, on_round=on_round)
    plain = timings["patch by patch, part"].median * n_pixels / PLAIN_PIXELS
    scene = timings["scene 32"]
    claims = [
        Claim("map, patch by patch / whole scene, 32 bits", plain / scene.median, at_least=15.0),
        Claim("the same, bf16", plain / timings["scene bf16"].median),
        Claim(
            "share of the GEMM rate in mapping, 32 bits",
            (scene.gflops or 0) / (timings["gemm 32"].gflops or 1),
            at_least=0.4,
        ),
        Claim("pixels per second, 32 bits", n_pixels / scene.median),
    ]
    memory = {"scene 32": peak_extra_megabytes(_prepare_map)}
    return BenchResult("map", timings, claims, memory)


@torch.no_grad()
def _patch_by_patch(
    model: PlainModel, source: PatchSource, indices: torch.Tensor
) -> list[torch.Tensor]:
    return [
        model(source.gather(some))[1].softmax(dim=1) for some in torch.split(indices, PLAIN_BATCH)
    ]


def _map_gflop(model: Model, source: PatchSource) -> float:
    """Work of the two stages: spectra once per padded pixel, patches once per pixel.

    A kernel along the bands is used at each band position, every other weight once per pixel.
    """
    ssrn = model.backbone
    if not isinstance(ssrn, Ssrn):
        raise InvalidInputError("the work of a map is known for the backbone ssrn only")
    positions = n_band_positions(ssrn.n_bands)
    along = ssrn.first.weight.numel() + sum(
        parameter.numel() for parameter in ssrn.spectral_blocks.parameters() if parameter.ndim > 1
    )
    per_spectrum = positions * along + ssrn.spanning.weight.numel()
    in_plane = [ssrn.entry, ssrn.spatial_blocks, model.head]
    weights = [p for part in in_plane for p in part.parameters() if p.ndim > 1]
    per_patch = source.patch_size**2 * sum(weight.numel() for weight in weights)
    n_pixels = source.grid.n_rows * source.grid.n_cols
    return 2 * (per_spectrum * source.grid.n_padded + per_patch * n_pixels) / 1e9


def _prepare_map() -> Callable[[], object]:
    source = make_inputs(1).source
    model = Model(spec_for(paper_recipe(), source.n_bands)).eval()
    indices = torch.arange(source.grid.n_rows * source.grid.n_cols)
    return lambda: predict_pixels(model, source, indices)
