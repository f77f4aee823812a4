"""DFFN against its published sizes."""

from __future__ import annotations

import pytest
import torch

from pdml.embeddings.backbones.dffn import Dffn
from pdml.embeddings.model import Model, ModelSpec, n_parameters
from pdml.errors import InvalidInputError


@pytest.mark.parametrize(("patch", "left"), [(25, 7), (23, 6), (27, 7), (5, 2), (3, 1)])
def test_the_fused_map_has_the_published_size(patch: int, left: int) -> None:
    backbone = Dffn(n_bands=3)
    assert backbone(torch.zeros(2, patch, patch, 3)).shape == (2, 64, left, left)
    assert backbone.output_size(patch) == left


def test_it_has_the_weights_that_the_published_layers_add_up_to() -> None:
    def weights(n_in: int, n_out: int, taps: int = 9) -> int:
        return n_in * n_out * taps + n_out

    entry = weights(3, 16)
    fine = 8 * weights(16, 16)
    middle = weights(16, 32, 1) + weights(16, 32) + 7 * weights(32, 32)
    coarse = weights(32, 64, 1) + weights(32, 64) + 7 * weights(64, 64)
    fusion = weights(16, 64) + weights(32, 64)
    assert n_parameters(Dffn(n_bands=3), norms=False) == entry + fine + middle + coarse + fusion


def test_every_block_but_the_last_ends_with_relu() -> None:
    network = Dffn(n_bands=3, n_blocks=5)
    stages = (network.fine, network.middle, network.coarse)
    endings = [[block.activate_last for block in stage] for stage in stages]
    assert endings == [[True] * 5, [True] * 5, [True] * 4 + [False]]


def test_one_patch_of_one_pixel_is_trained_with_running_statistics() -> None:
    network = Dffn(n_bands=3).train()
    assert torch.isfinite(network(torch.randn(1, 3, 3, 3))).all()


def test_a_map_without_a_centre_is_refused_where_one_is_needed() -> None:
    spec = {"n_bands": 3, "n_classes": 4, "patch_size": 23, "backbone": "dffn"}
    for size, left, fitting in ((23, 6, 25), (5, 2, 9)):
        message = f"dffn makes {left} x {left}; try patch_size = {fitting}, or head"
        with pytest.raises(InvalidInputError, match=message):
            Model(ModelSpec(**{**spec, "patch_size": size}))  # type: ignore[arg-type]
    plain = Model(ModelSpec(**spec, head="point", classifier="pooled"))  # type: ignore[arg-type]
    assert plain(torch.zeros(2, 23, 23, 3))[1].shape == (2, 4)


def test_no_block_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="n_blocks of dffn must be at least 1, got 0"):
        Dffn(n_bands=3, n_blocks=0)
