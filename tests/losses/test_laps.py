"""The rings of a patch."""

from __future__ import annotations

import pytest
import torch

from pdml.errors import InvalidInputError
from pdml.losses.laps import lap_means, laps


def test_the_laps_of_a_five_by_five_patch_are_its_rings() -> None:
    assert laps(5).tolist() == [
        [2, 2, 2, 2, 2],
        [2, 1, 1, 1, 2],
        [2, 1, 0, 1, 2],
        [2, 1, 1, 1, 2],
        [2, 2, 2, 2, 2],
    ]


@pytest.mark.parametrize("size", [1, 3, 5, 7, 9])
def test_each_lap_has_as_many_pixels_as_the_paper_counts(size: int) -> None:
    counts = torch.bincount(laps(size).flatten()).tolist()
    expected = [1] + [(2 * j - 1) ** 2 - (2 * j - 3) ** 2 for j in range(2, (size + 1) // 2 + 1)]
    assert counts == expected


def test_the_means_of_a_patch_that_holds_its_own_lap_numbers_are_those_numbers() -> None:
    means = lap_means(laps(7).double().expand(2, 7, 7))
    torch.testing.assert_close(means, torch.arange(4).double().expand(2, 4))


@pytest.mark.parametrize("size", [4, 0])
def test_a_patch_without_a_centre_pixel_is_refused(size: int) -> None:
    with pytest.raises(InvalidInputError, match=rf"must be odd .* got {size}; try {size + 1}"):
        laps(size)


def test_a_patch_that_is_not_square_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="square patches, got 3 rows and 5 columns"):
        lap_means(torch.zeros(2, 3, 5))


def test_a_first_look_in_inference_mode_does_not_spoil_later_gradients() -> None:
    pixels = torch.ones(2, 9, 9, requires_grad=True)
    with torch.inference_mode():
        lap_means(pixels.detach())
    (slope,) = torch.autograd.grad(lap_means(pixels).sum(), pixels)
    torch.testing.assert_close(slope.sum(), torch.tensor(2.0 * 5))
