"""The compiled tile against the one in passes and against double precision."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdml.losses.match_tiles import match_tile
from pdml.losses.pair_tiles import tiled_pair_loss
from pdml.native import match_tile as native
from pdml.native.build import load

pytestmark = pytest.mark.skipif(load("match_tile") is None, reason="needs a C compiler")


def inputs(n_samples: int, scale: float) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    samples = scale * torch.randn(77, n_samples, 9, generator=generator)
    classes = torch.randint(4, (77,), generator=generator)
    a, b = torch.tensor(1.3), torch.tensor(4.0)
    return samples.requires_grad_(), classes, a.requires_grad_(), b.requires_grad_()


def value_and_gradients(samples: Tensor, classes: Tensor, a: Tensor, b: Tensor) -> list[Tensor]:
    loss = tiled_pair_loss(samples, classes, match_tile, (a, b), tile_pixels=32)
    return [loss.detach(), *torch.autograd.grad(loss, [samples, a, b])]


@pytest.mark.parametrize("n_samples", [1, 3, 8])
@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0, 1e4])
def test_equals_double_precision(n_samples: int, scale: float) -> None:
    samples, classes, a, b = inputs(n_samples, scale)
    exact = [t.detach().double().requires_grad_() for t in (samples, a, b)]
    expected = value_and_gradients(exact[0], classes, exact[1], exact[2])
    for ours, theirs in zip(value_and_gradients(samples, classes, a, b), expected, strict=True):
        largest = float(theirs.abs().max())
        torch.testing.assert_close(ours.double(), theirs, rtol=1e-5, atol=2e-6 * largest)


def test_equals_the_passes_to_a_millionth(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = value_and_gradients(*inputs(3, 1.0))
    monkeypatch.setattr(native, "available", lambda squared: False)
    passes = value_and_gradients(*inputs(3, 1.0))
    assert float(compiled[0]) == pytest.approx(float(passes[0]), rel=1e-6)


def test_more_samples_than_it_has_room_for_are_left_to_the_passes() -> None:
    assert native.available(torch.ones(8, 2, 8, 2))
    assert not native.available(torch.ones(9, 2, 9, 2))
    assert not native.available(torch.ones(3, 2, 3, 2, dtype=torch.float64))


@pytest.mark.parametrize("of_what", ["samples", "a"])
def test_what_is_not_a_number_is_not_hidden(of_what: str) -> None:
    samples, classes, a, b = inputs(3, 1.0)
    with torch.no_grad():
        (samples if of_what == "samples" else a).view(-1)[0] = float("nan")
    loss = tiled_pair_loss(samples, classes, match_tile, (a, b))
    assert loss.detach().isnan()
