"""Light as a factor of measured values, against raw values that are multiplied and standardised."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from pdml.patches.illumination import darkness, relight
from pdml.patches.normalise import Standardiser

RNG = np.random.default_rng(0)
RAW = RNG.uniform(100, 900, size=(6, 3, 3, 8))
PROJECTION = RNG.normal(size=(8, 2))


def standardiser(projection: np.ndarray | None = None) -> Standardiser:
    flat = RAW.reshape(-1, 8)
    return Standardiser(flat.mean(axis=0), flat.std(axis=0), "train", projection)


def seeded() -> torch.Generator:
    return torch.Generator().manual_seed(4)


def factors(before: Standardiser, **amounts: float) -> np.ndarray:
    """By what the raw values of each pixel and band were multiplied."""
    patches = torch.from_numpy(before.apply(RAW))
    after = relight(patches, darkness(before), seeded(), **amounts).numpy()
    ratio: np.ndarray = (after * before.scale + before.mean) / RAW
    return ratio


def test_a_pixel_without_light_stays_dark() -> None:
    dark = darkness(standardiser())
    np.testing.assert_allclose(dark, standardiser().apply(np.zeros(8)), rtol=1e-6)
    patches = dark.expand(2, 3, 3, 8)
    torch.testing.assert_close(
        relight(patches, dark, seeded(), illumination=0.5, shading=0.5, tilt=0.5), patches
    )


def test_illumination_is_one_factor_for_all_raw_values_of_a_patch() -> None:
    found = factors(standardiser(), illumination=0.2)
    np.testing.assert_allclose(found, np.broadcast_to(found[:, :1, :1, :1], found.shape), rtol=1e-4)
    drawn = torch.randn(6, 1, 1, 1, generator=seeded()).numpy()
    np.testing.assert_allclose(found[:, :1, :1, :1], 1 + 0.2 * drawn, rtol=1e-4)


def test_shading_is_one_factor_for_each_pixel() -> None:
    found = factors(standardiser(), shading=0.1)
    np.testing.assert_allclose(found, np.broadcast_to(found[..., :1], found.shape), rtol=1e-4)
    drawn = torch.randn(6, 3, 3, 1, generator=seeded()).numpy()
    np.testing.assert_allclose(found[..., :1], 1 + 0.1 * drawn, rtol=1e-4)


def test_tilt_goes_from_one_end_of_the_spectrum_to_the_other() -> None:
    found = factors(standardiser(), tilt=0.1)[:, 0, 0] - 1
    steps = np.diff(found, axis=1)
    np.testing.assert_allclose(steps, np.broadcast_to(steps[:, :1], steps.shape), atol=1e-4)
    np.testing.assert_allclose(found[:, 0], -found[:, -1], atol=1e-4)


def test_principal_components_change_as_if_the_raw_values_had() -> None:
    own = standardiser(PROJECTION)
    patches = torch.from_numpy(own.apply(RAW))
    found = relight(patches, darkness(own), seeded(), illumination=0.3).numpy()
    drawn = torch.randn(6, 1, 1, 1, generator=seeded()).numpy()
    np.testing.assert_allclose(found, own.apply(RAW * (1 + 0.3 * drawn)), rtol=1e-3, atol=1e-3)


def test_the_spread_of_the_factor_is_the_one_that_was_asked_for() -> None:
    patches = torch.ones(4000, 1, 1, 1)
    lit = relight(patches, torch.zeros(1), seeded(), illumination=0.3)
    assert lit.std().item() == pytest.approx(0.3, rel=0.05)


def test_nothing_asked_nothing_drawn() -> None:
    generator, patches = seeded(), torch.randn(2, 3, 3, 5)
    state = generator.get_state()
    assert relight(patches, torch.zeros(5), generator) is patches
    assert torch.equal(generator.get_state(), state)
