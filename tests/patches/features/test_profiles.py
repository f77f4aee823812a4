"""Profiles of components: steps, order and number of the channels."""

from __future__ import annotations

import dataclasses
import sys

import numpy as np
import pytest

from pdml.errors import MissingExtraError
from pdml.patches.attribute_profile import attribute_profile
from pdml.patches.features.profiles import Profiles

COMPONENT = np.random.default_rng(0).random((12, 15))


def test_the_defaults_are_33_channels_for_each_of_4_components() -> None:
    assert (Profiles().per_component, Profiles().n_channels(200)) == (33, 132)
    assert len(Profiles().channels(COMPONENT)) == 33


def test_the_component_comes_first_in_whole_steps_and_only_once() -> None:
    kind = Profiles(area=[4], inertia=[0.3], standard_deviation=[], diagonal=[])
    found = kind.channels(COMPONENT)
    steps = np.round(1000 * COMPONENT)
    np.testing.assert_array_equal(found[0], steps)
    np.testing.assert_array_equal(found[1:3], attribute_profile(steps, {"area": [4]}))
    np.testing.assert_array_equal(found[3:], attribute_profile(steps, {"inertia": [0.3]}))
    assert kind.per_component == len(found) == 5


def test_the_rule_of_the_options_is_used() -> None:
    kind = Profiles(area=[], inertia=[0.1, 0.2], standard_deviation=[], diagonal=[])
    direct = dataclasses.replace(kind, rule="direct")
    assert (direct.channels(COMPONENT) != kind.channels(COMPONENT)).any()


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "higra", None)
    with pytest.raises(MissingExtraError, match=r"'higra', .*; try: pip install 'pdml\[baselines"):
        Profiles().require_packages()
