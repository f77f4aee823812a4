"""Batches hold every pixel once, and a pixel's place follows from where it is."""

from __future__ import annotations

import pytest
import torch

from pdml.embeddings.batches import by_place, in_order

SIZE = 256


def window(row: int, col: int, n_rows: int, n_cols: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows and columns of the pixels of a window, in a mixed order."""
    rows = torch.arange(row, row + n_rows).repeat_interleave(n_cols)
    cols = torch.arange(col, col + n_cols).repeat(n_rows)
    order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(0))
    return rows[order], cols[order]


def places(rows: torch.Tensor, cols: torch.Tensor) -> dict[tuple[int, int], int]:
    found = {}
    for batch in by_place(rows, cols, SIZE):
        assert len(set(batch.places.tolist())) == len(batch.places)
        for item, place in zip(batch.items.tolist(), batch.places.tolist(), strict=True):
            pixel = int(rows[item]), int(cols[item])
            assert pixel not in found
            found[pixel] = place
    assert len(found) == len(rows)
    return found


def test_a_pixel_has_the_same_place_in_every_window() -> None:
    whole = places(*window(-2, -2, 34, 44))
    for part in ((3, 5, 10, 11), (0, 0, 1, 40), (20, 37, 8, 1)):
        for pixel, place in places(*window(*part)).items():
            assert whole[pixel] == place


@pytest.mark.parametrize(
    ("n_rows", "n_cols"), [(116, 2004), (145, 145), (500, 256), (64, 1024), (500, 260), (512, 20)]
)
@pytest.mark.parametrize("size", [256, 512])
def test_hardly_a_place_is_left_empty_whatever_the_width(
    n_rows: int, n_cols: int, size: int
) -> None:
    n_batches = len(list(by_place(*window(7, 9, n_rows, n_cols), size)))
    assert n_batches <= 1.04 * n_rows * n_cols / size + 4


def test_what_is_empty_is_filled_with_some_pixel() -> None:
    indices = torch.tensor([70, 71, 72])
    batch = next(by_place(torch.tensor([0, 0, 0]), torch.tensor([1, 2, 5]), 8))
    filled = batch.filled(indices, 8)
    assert filled[[1, 2, 5]].tolist() == [70, 71, 72]
    assert set(filled.tolist()) == {70, 71, 72}


def test_a_list_in_its_order_is_cut_into_batches() -> None:
    found = list(in_order(7, 3, device=torch.device("cpu")))
    assert [batch.items.tolist() for batch in found] == [[0, 1, 2], [3, 4, 5], [6]]
    assert [batch.places.tolist() for batch in found] == [[0, 1, 2], [0, 1, 2], [0]]
