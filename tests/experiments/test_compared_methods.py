"""Which variants a list of methods means."""

from __future__ import annotations

import pytest

from pdml.baselines.method import METHODS
from pdml.errors import UnknownNameError
from pdml.experiments.compared_methods import method_variants, variant_names
from pdml.experiments.experiment import experiment_named


def test_a_classical_method_has_one_row_and_a_network_one_for_each_protocol() -> None:
    assert variant_names(["svm"], ["common", "own", "pdml"]) == ("SVM, spectrum", "PDML")
    assert variant_names(["spc"], ["own", "pdml"]) == ("SPC, own protocol", "P-SPC", "PDML")


def test_the_network_of_the_recipe_keeps_the_rows_that_it_has_anyway() -> None:
    names = variant_names(["ssrn"], ["common", "own", "pdml"])
    assert names == ("SSRN", "SSRN, own protocol", "PDML")


def test_a_network_that_cannot_take_the_head_has_no_row_of_it() -> None:
    assert variant_names(["mcnn"], ["pdml"]) == ("PDML",)


def test_all_means_all_and_every_row_is_declared() -> None:
    names = variant_names(["all"], ["common", "own", "pdml"])
    declared = {variant.name for variant in experiment_named("results").variants}
    assert set(names) == declared
    assert {variant.method for variant in method_variants()} == set(METHODS.names())


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown method 'smv'; did you mean 'svm'\?"):
        variant_names(["smv"], ["common"])
    with pytest.raises(UnknownNameError, match=r"unknown protocol 'mine'; known: common, own, pd"):
        variant_names(["svm"], ["mine"])
