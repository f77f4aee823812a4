"""Optional dependencies: there, or named with the extra that brings them."""

from __future__ import annotations

import json

import pytest

from pdml.errors import MissingExtraError
from pdml.optional import require


def test_a_module_that_is_there_is_returned() -> None:
    assert require("json", extra="anything") is json


def test_a_module_that_is_missing_is_named_with_what_installs_it() -> None:
    with pytest.raises(MissingExtraError) as error:
        require("a_module_that_nobody_wrote", extra="geo")
    assert str(error.value) == (
        "this needs the package 'a_module_that_nobody_wrote', which is not installed; "
        "try: pip install 'pdml[geo]'"
    )
    assert isinstance(error.value.__cause__, ModuleNotFoundError)
