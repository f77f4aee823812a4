"""The measurement of a large scene, on small ones."""

from __future__ import annotations

import pytest

from pdml.benchmarks import bench_large as module
from pdml.benchmarks.bench_large import bench_large


def test_a_large_scene_is_held_against_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    mapped: list[int] = []

    def measure(n_rows: int) -> module._Measured:
        mapped.append(n_rows)
        return module._Measured(n_rows * 0.01 * (1.1 if n_rows > 100 else 1), n_rows * 0.02, 1000)

    monkeypatch.setattr(module, "_in_fresh_process", measure)
    done: list[tuple[int, int]] = []
    result = bench_large(rows=10_000, small_rows=50, on_round=lambda *now: done.append(now))
    assert mapped == [50, 50, 10_000, 50]
    assert done[-1] == (4, 4)
    claims = {claim.what: claim for claim in result.claims}
    ratio = claims["time per pixel, large / small"]
    assert ratio.value == pytest.approx(1.1)
    assert (ratio.at_most, ratio.holds) == (1.2, True)
    assert claims["the same in time of the processor"].value == pytest.approx(1)
    memory = claims["memory of the process, MB (10^6 bytes)"]
    assert memory.value == pytest.approx(1000 * 1.048576)
    assert memory.at_most == 2000
    assert claims["size of the large scene / memory"].value == pytest.approx(4)
    assert claims["pixels per second, large"].value == pytest.approx(2000 / 0.011)
    assert len(result.timings["50 x 2000 x 200"].seconds) == 3


def test_a_mapping_is_measured_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    found = module._in_fresh_process(4)
    assert 0 < found.seconds < 60
    assert 100 < found.peak_megabytes < 1900
