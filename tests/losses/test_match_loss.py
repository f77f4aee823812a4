"""The loss compiled as a whole against plain forms in double precision and against its limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from pdml.benchmarks.naive_pair_loss import naive_pair_loss
from pdml.errors import InvalidInputError
from pdml.losses.match_loss import match_loss
from pdml.native import match_pairs as native
from pdml.native.build import load

compiled = pytest.mark.skipif(load("match_pairs") is None, reason="needs a C compiler")


def inputs(
    n_pixels: int = 77, n_samples: int = 3, n_features: int = 9, scale: float = 1.0
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    samples = scale * torch.randn(n_pixels, n_samples, n_features, generator=generator)
    classes = torch.randint(4, (n_pixels,), generator=generator)
    a, b = torch.tensor(1.3), torch.tensor(4.0)
    return samples.requires_grad_(), classes, a.requires_grad_(), b.requires_grad_()


def value_and_gradients(samples: Tensor, classes: Tensor, a: Tensor, b: Tensor) -> list[Tensor]:
    loss = match_loss(samples, classes, a, b)
    return [loss.detach(), *torch.autograd.grad(loss, [samples, a, b])]


def exact(samples: Tensor, classes: Tensor, a: Tensor, b: Tensor) -> list[Tensor]:
    double = [t.detach().double().requires_grad_() for t in (samples, a, b)]
    loss = naive_pair_loss(double[0], classes, double[1], double[2])
    return [loss.detach(), *torch.autograd.grad(loss, double)]


def assert_equals_exact(*args: Tensor, of_samples: float = 2e-6) -> None:
    """`of_samples` is the error that the samples' gradient may have, as a share of its largest."""
    loss, to_samples, *to_a_and_b = value_and_gradients(*args)
    true_loss, true_to_samples, *true_to_a_and_b = exact(*args)
    assert float(loss) == pytest.approx(float(true_loss), rel=1e-6)
    atol = of_samples * float(true_to_samples.abs().max())
    torch.testing.assert_close(to_samples.double(), true_to_samples, rtol=1e-5, atol=atol)
    for ours, theirs in zip(to_a_and_b, true_to_a_and_b, strict=True):
        # Terms of both signs cancel in these sums; what is lost is measured by the loss.
        assert float(ours) == pytest.approx(float(theirs), rel=1e-5, abs=1e-7 * float(true_loss))


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("n_samples", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
def test_equals_double_precision(n_samples: int, scale: float) -> None:
    assert_equals_exact(*inputs(n_samples=n_samples, scale=scale))


@pytest.mark.parametrize("n_samples", [1, 3, 5, 8])
def test_logits_of_tens_of_thousands_keep_the_digits_that_float32_leaves_them(
    n_samples: int,
) -> None:
    assert_equals_exact(*inputs(n_samples=n_samples, scale=1e4), of_samples=1e-3)


@pytest.mark.parametrize(
    ("n_pixels", "n_features"),
    [(2, 1), (15, 16), (16, 64), (17, 65), (33, 130), (49, 100), (130, 3)],
)
def test_any_number_of_pixels_and_features_will_do(n_pixels: int, n_features: int) -> None:
    assert_equals_exact(*inputs(n_pixels, 3, n_features))


@pytest.mark.usefixtures("two_threads")
def test_the_shares_of_two_threads_make_up_the_whole() -> None:
    assert_equals_exact(*inputs(150))


@pytest.mark.usefixtures("two_threads")
def test_the_same_input_gives_the_same_bits() -> None:
    first, again = value_and_gradients(*inputs(200)), value_and_gradients(*inputs(200))
    for ours, theirs in zip(first, again, strict=True):
        assert torch.equal(ours, theirs)


def test_equals_the_tiles_to_a_millionth(monkeypatch: pytest.MonkeyPatch) -> None:
    args = inputs(150)
    whole = value_and_gradients(*args)
    monkeypatch.setattr(native, "available", lambda samples: False)
    tiles = value_and_gradients(*args)
    assert float(whole[0]) == pytest.approx(float(tiles[0]), rel=1e-6)
    assert (whole[1] - tiles[1]).norm() <= 2e-6 * tiles[1].norm()


def test_a_second_way_of_storing_the_input_changes_nothing() -> None:
    samples, classes, a, b = inputs()
    turned = samples.detach().transpose(0, 2).contiguous().transpose(0, 2).requires_grad_()
    first = value_and_gradients(samples, classes, a, b)
    second = value_and_gradients(turned, classes.to(torch.int32), a, b)
    torch.testing.assert_close(first, second)


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("logit", [1e4, -1e4])
def test_extreme_logits_have_the_value_and_slope_of_their_limit(same: bool, logit: float) -> None:
    samples = torch.tensor([0.0, 1.0]).view(2, 1, 1).repeat(1, 3, 1).requires_grad_()
    classes = torch.tensor([0, 0 if same else 1])
    a, b = torch.tensor(5.0, requires_grad=True), torch.tensor(5.0 + logit, requires_grad=True)
    loss, to_samples, to_a, to_b = value_and_gradients(samples, classes, a, b)
    wrong, sign = same == (logit < 0), 1.0 if same else -1.0
    assert loss.item() == pytest.approx(1e4 if wrong else 0, rel=1e-6)
    assert to_a.item() == pytest.approx(sign * wrong, rel=1e-5)
    assert to_b.item() == pytest.approx(-sign * wrong, rel=1e-5)
    assert to_samples[1].sum().item() == pytest.approx(5 * sign * wrong, rel=1e-5)


def test_underflowing_pairs_among_others_are_taken_in_log_space() -> None:
    # Logits from 0 to -300: the mean probability of most pairs of a class is below float32's least.
    samples, classes, _, b = inputs()
    assert_equals_exact(samples, classes, torch.tensor(40.0, requires_grad=True), b)


def test_small_slopes_of_pairs_that_are_nearly_right_keep_their_digits() -> None:
    # Every logit is about 20: a slope of 2e-9, where one minus a float32 probability is zero.
    samples = torch.tensor([[[0.0]], [[1.0]]], requires_grad=True)
    a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(22.0, requires_grad=True)
    to_a = value_and_gradients(samples, torch.tensor([0, 0]), a, b)[2]
    assert to_a.item() == pytest.approx(1 / (1 + torch.e**20), rel=1e-4)


def test_weights_multiply_the_pairs_of_their_kind() -> None:
    args = inputs()
    parts = [match_loss(*args, weights=weights) for weights in ((1, 0), (0, 1), (0.3, 7.0))]
    torch.testing.assert_close(parts[2], 0.3 * parts[0] + 7 * parts[1])


def test_a_common_shift_changes_next_to_nothing() -> None:
    samples, classes, a, b = inputs()
    near, far = match_loss(samples, classes, a, b), match_loss(samples + 1000, classes, a, b)
    assert far.item() == pytest.approx(near.item(), rel=1e-4)


def test_a_single_pixel_has_no_pairs() -> None:
    loss, *gradients = value_and_gradients(*inputs(n_pixels=1))
    assert float(loss) == 0
    assert all(float(gradient.abs().max()) == 0 for gradient in gradients)


def test_points_that_fall_together_have_a_finite_gradient() -> None:
    samples = torch.ones(20, 3, 4, requires_grad=True)
    one = torch.tensor(1.0, requires_grad=True)
    loss, to_samples, *_ = value_and_gradients(samples, torch.arange(20) % 2, one, one)
    assert loss.isfinite()
    torch.testing.assert_close(to_samples, torch.zeros_like(samples), atol=1e-4, rtol=0)


@pytest.mark.parametrize("of_what", ["samples", "a", "b"])
@pytest.mark.parametrize("place", [0, -1])
def test_what_is_not_a_number_is_not_hidden(of_what: str, place: int) -> None:
    args = dict(zip(("samples", "classes", "a", "b"), inputs(), strict=True))
    with torch.no_grad():
        args[of_what].view(-1)[place] = float("nan")
    loss, to_samples, *_ = value_and_gradients(*args.values())
    assert loss.isnan()
    assert to_samples.isnan().any()


@compiled
@pytest.mark.parametrize("wanted", [True, False])
def test_the_gradient_is_not_computed_when_nobody_asks(
    wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    original = native.match_pairs

    def spy(*args: Any, with_gradient: bool, **options: Any) -> Any:
        asked.append(with_gradient)
        return original(*args, with_gradient=with_gradient, **options)

    monkeypatch.setattr(native, "match_pairs", spy)
    with torch.set_grad_enabled(wanted):
        match_loss(*inputs())
    assert asked == [wanted]


def test_slope_and_threshold_have_gradients_also_where_the_samples_want_none() -> None:
    samples, classes, a, b = inputs()
    expected = value_and_gradients(samples, classes, a, b)[2:]
    got = torch.autograd.grad(match_loss(samples.detach(), classes, a, b), [a, b])
    torch.testing.assert_close(list(got), expected)


@compiled
def test_what_the_compiled_form_has_no_room_for_is_left_to_the_tiles() -> None:
    assert native.available(torch.ones(5, 8, 4))
    assert not native.available(torch.ones(5, 9, 4))
    assert not native.available(torch.ones(5, 3, 4, dtype=torch.float64))
    assert not native.available(torch.ones(0, 3, 4))
    assert_equals_exact(*inputs(n_samples=9))


def test_a_second_derivative_is_refused() -> None:
    samples, classes, a, b = inputs(3)
    (slope,) = torch.autograd.grad(
        match_loss(samples, classes, a, b).square(), samples, create_graph=True
    )
    with pytest.raises(RuntimeError, match="once_differentiable"):
        torch.autograd.backward(slope.sum())


def test_samples_with_few_digits_are_refused() -> None:
    samples, classes, a, b = inputs()
    with pytest.raises(InvalidInputError, match=r"float32 or float64, got torch\.bfloat16"):
        match_loss(samples.bfloat16(), classes, a, b)


@compiled
def test_too_little_memory_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def match_pairs(self, *args: object) -> int:
            return 1

    monkeypatch.setattr(native, "load", lambda name: Full())
    with pytest.raises(MemoryError, match=r"not enough memory for the pair loss; try a smaller"):
        match_loss(*inputs())
