"""The penalty on laps that are not less certain than the next inner one."""

from __future__ import annotations

import pytest
import torch

from pdml.errors import UnknownNameError
from pdml.losses.lap_variance import LapForm, lap_variance
from pdml.losses.laps import laps
from pdml.losses.reduction import Reduction
from tests.reference.laps import lap_variance_by_loops


def noise(n: int = 3, size: int = 5) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(n, size, size, 4, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("form", ["hinge", "log", "paper"])
@pytest.mark.parametrize("reduction", ["mean", "paper"])
@pytest.mark.parametrize("size", [3, 5, 7])
def test_every_form_equals_plain_loops(form: LapForm, reduction: Reduction, size: int) -> None:
    got = lap_variance(noise(size=size), alpha=0.3, form=form, reduction=reduction)
    expected = lap_variance_by_loops(noise(size=size), 0.3, form, reduction)
    assert got.item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("form", ["hinge", "log"])
def test_laps_that_grow_by_more_than_the_margin_cost_nothing(form: LapForm) -> None:
    std = 1.25 ** laps(7).double()
    log_variance = 2 * std.log()[None, :, :, None].expand(2, 7, 7, 3)
    assert lap_variance(log_variance, alpha=0.1, form=form).item() == 0


def test_the_paper_form_telescopes_over_the_laps_of_a_five_by_five_patch() -> None:
    std = torch.tensor([0.5, 0.7, 1.1])[laps(5)]
    got = lap_variance(2 * std.log()[None, ..., None], form="paper", reduction="paper")
    assert got.item() == pytest.approx(1.2 * 0.5 + 0.2 * 0.7 - 1.1, rel=1e-5)


def test_the_log_form_does_not_see_the_scale_of_the_embedding() -> None:
    plain = lap_variance(noise(), form="log")
    torch.testing.assert_close(lap_variance(noise() + 6.0, form="log"), plain)


@pytest.mark.parametrize("form", ["hinge", "log", "paper"])
def test_a_patch_of_one_pixel_has_no_penalty(form: LapForm) -> None:
    assert lap_variance(noise(size=1), form=form).item() == 0


@pytest.mark.parametrize("form", ["hinge", "log", "paper"])
def test_the_gradient_equals_finite_differences(form: LapForm) -> None:
    values = noise(n=2, size=3).requires_grad_()
    assert torch.autograd.gradcheck(lambda s: lap_variance(s, form=form), values)


def test_an_unknown_form_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown lap form 'hing'; did you mean 'hinge'"):
        lap_variance(noise(), form="hing")  # type: ignore[arg-type]


def test_an_unknown_reduction_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown reduction 'papr'; did you mean 'paper'"):
        lap_variance(noise(), reduction="papr")  # type: ignore[arg-type]
