"""The walk over tiles: any formula, any tile, any order gives one result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import pytest
import torch
from torch import Tensor

from pdml.errors import InvalidInputError
from pdml.losses.match_tiles import match_tile
from pdml.losses.pair_tiles import PairTile, TileGradient, tiled_pair_loss
from pdml.native import product

from .conftest import Batch


def squared_hinge(
    tile: PairTile, parameters: Sequence[Tensor], *, with_gradient: bool
) -> tuple[Tensor, TileGradient | None]:
    """D^2 for pairs of a class, [margin - D]^2 for others: a formula with other slopes."""
    (margin,) = parameters
    distance = tile.squared.sqrt()
    gap = torch.relu(margin - distance)
    same = tile.same[None, :, None, :]
    weight = tile.weight[None, :, None, :]
    loss = torch.sum(weight * torch.where(same, tile.squared, gap.square()))
    if not with_gradient:
        return loss, None
    slope = weight * torch.where(same, 1.0, -gap / distance)
    to_margin = torch.sum(weight * torch.where(same, 0.0, 2 * gap))
    return loss, TileGradient(slope, torch.ones_like(loss), (to_margin,))


def squared_hinge_by_loops(samples: Tensor, classes: Tensor, margin: Tensor) -> Tensor:
    total = torch.zeros((), dtype=samples.dtype)
    for i, j in combinations(range(len(samples)), 2):
        for x in samples[i]:
            for y in samples[j]:
                squared = (x - y).square().sum() + 1e-6
                gap = torch.relu(margin - squared.sqrt())
                total = total + (squared if classes[i] == classes[j] else gap.square())
    return total


def test_another_formula_gets_its_value_and_gradients_from_the_same_tiles(
    batch: Callable[..., Batch],
) -> None:
    samples, classes, margin, _ = batch(n=9, k=2)
    got = tiled_pair_loss(samples, classes, squared_hinge, (margin,), tile_pixels=4)
    expected = squared_hinge_by_loops(samples, classes, margin)
    torch.testing.assert_close(got, expected)
    torch.testing.assert_close(
        torch.autograd.grad(got, (samples, margin)),
        torch.autograd.grad(expected, (samples, margin)),
    )


@pytest.mark.parametrize("tile_pixels", [1, 3, 8, 17, 22, 1000])
def test_the_size_of_the_tiles_does_not_change_the_result(
    batch: Callable[..., Batch], tile_pixels: int
) -> None:
    samples, classes, a, b = batch()
    whole = tiled_pair_loss(samples, classes, match_tile, (a, b), tile_pixels=23)
    tiled = tiled_pair_loss(samples, classes, match_tile, (a, b), tile_pixels=tile_pixels)
    torch.testing.assert_close(tiled, whole, rtol=1e-12, atol=0)
    torch.testing.assert_close(
        torch.autograd.grad(tiled, (samples, a, b)), torch.autograd.grad(whole, (samples, a, b))
    )


def test_the_order_of_pixels_and_of_samples_does_not_matter(batch: Callable[..., Batch]) -> None:
    samples, classes, a, b = batch()
    order = torch.randperm(23, generator=torch.Generator().manual_seed(3))
    turned = samples[order].flip(1)
    first = tiled_pair_loss(samples, classes, match_tile, (a, b), tile_pixels=8)
    second = tiled_pair_loss(turned, classes[order], match_tile, (a, b), tile_pixels=8)
    torch.testing.assert_close(first, second, rtol=1e-12, atol=0)


def test_weights_multiply_the_pairs_of_their_kind(batch: Callable[..., Batch]) -> None:
    samples, classes, a, b = batch()
    parts = [
        tiled_pair_loss(samples, classes, match_tile, (a, b), weights=weights)
        for weights in ((1.0, 0.0), (0.0, 1.0), (0.3, 7.0))
    ]
    torch.testing.assert_close(parts[2], 0.3 * parts[0] + 7 * parts[1])


def test_a_common_shift_changes_nothing_even_in_float32(batch: Callable[..., Batch]) -> None:
    samples, classes, a, b = batch(dtype=torch.float32)
    near = tiled_pair_loss(samples, classes, match_tile, (a, b))
    far = tiled_pair_loss(samples + 1000, classes, match_tile, (a, b))
    assert far.item() == pytest.approx(near.item(), rel=1e-4)


def test_a_single_pixel_has_no_pairs() -> None:
    one = torch.tensor(1.0, requires_grad=True)
    samples = torch.randn(1, 3, 4, generator=torch.Generator().manual_seed(0)).requires_grad_()
    loss = tiled_pair_loss(samples, torch.tensor([2]), match_tile, (one, one))
    assert loss.item() == 0
    assert torch.autograd.grad(loss, samples)[0].abs().max().item() == 0


def test_derivatives_are_not_computed_when_nobody_asks(batch: Callable[..., Batch]) -> None:
    asked: list[bool] = []

    def spy(
        tile: PairTile, parameters: Sequence[Tensor], *, with_gradient: bool
    ) -> tuple[Tensor, TileGradient | None]:
        asked.append(with_gradient)
        return match_tile(tile, parameters, with_gradient=with_gradient)

    samples, classes, a, b = batch()
    wanted = tiled_pair_loss(samples, classes, spy, (a, b))
    with torch.no_grad():
        unwanted = tiled_pair_loss(samples, classes, spy, (a, b))
    assert asked == [True, False]
    assert wanted.item() == unwanted.item()


def test_the_matrix_product_without_onednn_gives_the_same(
    batch: Callable[..., Batch], monkeypatch: pytest.MonkeyPatch
) -> None:
    samples, classes, a, b = batch(dtype=torch.float32)
    fast = tiled_pair_loss(samples, classes, match_tile, (a, b))
    monkeypatch.setattr(product, "_ONEDNN", False)
    plain = tiled_pair_loss(samples, classes, match_tile, (a, b))
    torch.testing.assert_close(fast, plain, rtol=1e-6, atol=0)


def test_a_second_derivative_is_refused(batch: Callable[..., Batch]) -> None:
    samples, classes, a, b = batch(n=3)
    loss = tiled_pair_loss(samples, classes, match_tile, (a, b))
    (slope,) = torch.autograd.grad(loss.square(), samples, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        torch.autograd.backward(slope.sum())


def test_samples_with_few_digits_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"float32 or float64, got torch\.bfloat16"):
        tiled_pair_loss(
            torch.zeros(2, 1, 3, dtype=torch.bfloat16), torch.tensor([0, 1]), match_tile
        )
