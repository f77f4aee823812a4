"""`pdml bench large`: a scene that is larger than the memory that mapping it may take."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import torch

from pdml.benchmarks.measure import Timing
from pdml.benchmarks.memory import peak_megabytes
from pdml.benchmarks.result import BenchResult, Claim
from pdml.embeddings.model import Model, ModelSpec
from pdml.experiments.listener import Listener
from pdml.experiments.map_options import MapOptions
from pdml.experiments.map_run import write_map
from pdml.experiments.subject import open_subject
from pdml.inference.bundle import Bundle
from pdml.patches.normalise import Standardiser

N_COLS = 2_000
N_BANDS = 200
N_CLASSES = 8
LARGE_ROWS = 20_000
SMALL_ROWS = 1_000
MEMORY_BYTES = 2 * 10**9
MEGABYTE = 2**20
MOST_TIME = 1.2
"""Most that a pixel of the large scene may take of the time of a pixel of the small one."""

NETWORK = "spectral_mlp"
"""A cheap network: what reading, tiling and writing take shows beside it most."""


@dataclass(frozen=True)
class _Measured:
    """One mapping in a process of its own."""

    seconds: float
    cpu_seconds: float
    peak_megabytes: float


def bench_large(
    *,
    rows: int = LARGE_ROWS,
    small_rows: int = SMALL_ROWS,
    rounds: int = 3,
    on_round: Callable[[int, int], None] | None = None,
) -> BenchResult:
    """Measures the mapping of a large scene once, and of a small one before and after it.

    The large scene is a sparse file, so it takes no room on the disk; the small one has the same
    columns and bands. Each mapping is a process of its own, which starts from nothing.

    Args:
        rows: Rows of the large scene.
        small_rows: Rows of the small one.
        rounds: How often the small scene is mapped; half of them after the large one.
        on_round: Called with the mappings that are done and all of them.
    """
    sizes = [small_rows] * (rounds - rounds // 2) + [rows] + [small_rows] * (rounds // 2)
    found: list[_Measured] = []
    for n_rows in sizes:
        found.append(_in_fresh_process(n_rows))
        if on_round:
            on_round(len(found), len(sizes))
    large = next(one for one, n_rows in zip(found, sizes, strict=True) if n_rows == rows)
    small = [one for one in found if one is not large]
    names = {size: f"{size} x {N_COLS} x {N_BANDS}" for size in (rows, small_rows)}
    timings = {
        names[rows]: Timing((large.seconds,)),
        names[small_rows]: Timing(tuple(one.seconds for one in small)),
    }
    per_pixel = large.seconds / (rows * N_COLS)
    per_small_pixel = timings[names[small_rows]].median / (small_rows * N_COLS)
    cpu_small = float(np.median([one.cpu_seconds for one in small])) / small_rows
    claims = [
        Claim("time per pixel, large / small", per_pixel / per_small_pixel, at_most=MOST_TIME),
        Claim("the same in time of the processor", large.cpu_seconds / rows / cpu_small),
        Claim(
            "memory of the process, MB (10^6 bytes)",
            large.peak_megabytes * MEGABYTE / 10**6,
            at_most=MEMORY_BYTES / 10**6,
        ),
        Claim("size of the large scene / memory", rows * N_COLS * N_BANDS * 2 / MEMORY_BYTES),
        Claim("pixels per second, large", 1 / per_pixel),
        Claim("pixels per second, small", 1 / per_small_pixel),
    ]
    return BenchResult("large", timings, claims, {})


def _in_fresh_process(n_rows: int) -> _Measured:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as fresh:
        return fresh.submit(_map_once, n_rows, torch.get_num_threads()).result()


def _map_once(n_rows: int, n_threads: int) -> _Measured:
    """Maps a sparse scene into a GeoTIFF, all from opening the file to the finished map."""
    torch.set_num_threads(n_threads)
    with tempfile.TemporaryDirectory(prefix="pdml-bench-") as folder:
        path = Path(folder) / "scene.npy"
        shape = (n_rows, N_COLS, N_BANDS)
        np.lib.format.open_memmap(path, mode="w+", dtype=np.uint16, shape=shape)
        bundle = _untrained()
        options = MapOptions(memory_bytes=MEMORY_BYTES, device="cpu")
        begun, cpu_begun = perf_counter(), process_time()
        subject = open_subject(str(path))
        write_map(bundle, subject, Path(folder) / "map.tif", options=options, listener=Listener())
        return _Measured(perf_counter() - begun, process_time() - cpu_begun, peak_megabytes())


def _untrained() -> Bundle:
    """A model that nobody has trained; it is as fast as one that was."""
    torch.manual_seed(0)
    spec = ModelSpec(
        N_BANDS, N_CLASSES, patch_size=3, backbone=NETWORK, embedding_size=16, head_kernel=1
    )
    standardiser = Standardiser(np.zeros(N_BANDS), np.ones(N_BANDS), "scene")
    names = tuple(f"class {number}" for number in range(1, N_CLASSES + 1))
    return Bundle(Model(spec).eval(), standardiser, "zero", names, (), {})
