"""MCNN and SAE, which look at the training patches before the first step; GCNN and ECNN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import binary_cross_entropy

from pdml.embeddings.attention import AttendedBackbone
from pdml.embeddings.attentions.se import SqueezeExcitation
from pdml.embeddings.backbones.ecnn import Ecnn
from pdml.embeddings.backbones.gcnn import Gcnn
from pdml.embeddings.backbones.mcnn import Mcnn
from pdml.embeddings.backbones.sae import Sae
from pdml.embeddings.model import Model, ModelSpec, n_parameters
from pdml.errors import InvalidInputError


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def layer(n_in: int, n_out: int, taps: int = 1) -> int:
    return n_in * n_out * taps + n_out


def correlated(n: int, size: int, n_bands: int) -> torch.Tensor:
    """Patches whose bands are mixtures of three, and whose pixels resemble their neighbours."""
    torch.manual_seed(1)
    coarse = torch.randn(n, 3, 3, 3)
    smooth = torch.nn.functional.interpolate(coarse, size=(size, size), mode="bilinear")
    return torch.einsum("ncij,cb->nijb", smooth, torch.randn(3, n_bands))


def test_mapping_matrices_start_as_the_singular_vectors_of_the_patches() -> None:
    network: Any = Mcnn(n_bands=20, n_mapped=8)
    patches = correlated(40, 11, 20)
    network.prepare(torch.split(patches, 16), generator=generator())
    array = patches.numpy().astype(np.float64)
    for axis, mapping in ((1, network.map_rows), (2, network.map_cols), (3, network.map_bands)):
        unfolded = np.moveaxis(array, axis, 0).reshape(array.shape[axis], -1)
        vectors = np.linalg.svd(unfolded, full_matrices=False)[0].T
        found = mapping.weight.detach().numpy()
        for number in range(3):  # there are three mixtures and three by three places
            cosine = abs(float(found[number] @ vectors[number]))
            assert cosine == pytest.approx(1, abs=1e-4)


def test_mcnn_maps_a_patch_by_three_matrices_and_leaves_one_pixel() -> None:
    network: Any = Mcnn(n_bands=20, patch_size=9, n_mapped=8).eval()
    patches = torch.randn(2, 9, 9, 20)
    features = network(patches)
    assert features.shape == (2, 256, 1, 1)
    rows, cols, bands = (
        mapping.weight for mapping in (network.map_rows, network.map_cols, network.map_bands)
    )
    mapped = torch.einsum("nijb,ri,cj,mb->nrcm", patches, rows, cols, bands)
    volumes = network.volumes(mapped.unsqueeze(1))
    assert volumes.shape == (2, 32, 1, 1, 2)
    expected = network.full(volumes.flatten(1)[:, :, None, None]).relu()
    torch.testing.assert_close(features, expected, rtol=1e-4, atol=1e-5)


def test_mcnn_is_built_for_one_size_of_patches() -> None:
    spec = ModelSpec(20, 3, patch_size=13, backbone="mcnn", head="point", classifier="pooled")
    assert Model(spec)(torch.zeros(2, 13, 13, 20))[1].shape == (2, 3)
    with pytest.raises(InvalidInputError, match="built for patches of 11 x 11 pixels, got 9 x 9;"):
        Mcnn(n_bands=20)(torch.zeros(2, 9, 9, 20))
    with pytest.raises(InvalidInputError, match="of patch_size = 5 it leaves none; take a larger"):
        Model(ModelSpec(20, 3, patch_size=5, backbone="mcnn"))
    with pytest.raises(
        InvalidInputError, match=r"at least 7 bands .* got 6 bands and n_mapped = 6"
    ):
        Mcnn(n_bands=6)


def test_sae_has_the_published_layers() -> None:
    network = Sae(n_bands=103 + 3, n_components=3, padding="collapsed")
    assert n_parameters(network) == layer(103 + 3 * 49, 310) + layer(310, 100)
    assert [network.output_size(size) for size in (7, 9, 5)] == [1, 3, 0]


def test_sae_is_two_full_layers_on_spectrum_and_window() -> None:
    torch.manual_seed(0)
    network: Any = Sae(n_bands=12, n_components=2, padding="collapsed", widths=[9, 5])
    patches = torch.randn(4, 7, 7, 12)
    spectrum = patches[:, 3, 3, :10]
    window = patches[..., 10:].permute(0, 3, 1, 2).flatten(1)
    expected = torch.cat([spectrum, window], dim=1)
    for full in network.layers:
        expected = full(expected).sigmoid()
    torch.testing.assert_close(network(patches).flatten(1), expected, rtol=1e-4, atol=1e-5)
    padded = Sae(n_bands=12, n_components=2, widths=[9, 5])
    padded.load_state_dict(network.state_dict())
    torch.testing.assert_close(padded(patches)[:, :, 3, 3], expected, rtol=1e-4, atol=1e-5)


def pretrained(n_epochs: int) -> Any:
    torch.manual_seed(0)
    network = Sae(n_bands=12, n_components=2, padding="collapsed", pretraining_epochs=n_epochs)
    network.prepare(torch.split(correlated(150, 7, 12), 64), generator=generator())
    return network


def test_pretraining_makes_the_reconstruction_fall_in_every_layer() -> None:
    network = pretrained(30)
    assert len(network.reconstruction) == 2
    for losses in network.reconstruction:
        assert len(losses) == 30
        assert losses[-1] < 0.95 * losses[0]
        assert losses == sorted(losses, reverse=True) or losses[-1] < losses[len(losses) // 2]


def test_pretrained_weights_give_the_training_pixels_back_better_than_first_ones() -> None:
    patches = correlated(150, 7, 12)
    network, first = pretrained(30), pretrained(0)

    def lost(weights: Any) -> float:
        """Loss with the best constant bias backwards, on values from 0 to 1."""
        x = torch.cat([patches[:, 3, 3, :10], patches[..., 10:].permute(0, 3, 1, 2).flatten(1)], 1)
        scale = [network.span[i] for i in range(10)] + [
            network.span[10 + i // 49] for i in range(98)
        ]
        low = [network.low[i] for i in range(10)] + [network.low[10 + i // 49] for i in range(98)]
        x = (x - torch.stack(low)) / torch.stack(scale)
        assert x.min() == 0
        assert x.max() == pytest.approx(1)
        back = (weights(x).sigmoid() @ weights.weight).detach()
        bias = torch.zeros(back.shape[1], requires_grad=True)
        optimiser = torch.optim.LBFGS([bias], max_iter=50)

        def closure() -> torch.Tensor:
            optimiser.zero_grad()
            loss = binary_cross_entropy((back + bias).sigmoid(), x, reduction="sum") / len(x)
            loss.backward()  # type: ignore[no-untyped-call]
            return loss

        optimiser.step(closure)  # type: ignore[no-untyped-call]
        return float(closure().detach())

    assert lost(network.layers[0]) < 0.95 * lost(first.layers[0])


def test_pretraining_is_the_same_with_the_same_seed_and_reaches_through_attention() -> None:
    torch.manual_seed(0)
    inner = Sae(n_bands=12, n_components=2, padding="collapsed", pretraining_epochs=3)
    attended = AttendedBackbone(inner, SqueezeExcitation(n_features=100))
    attended.prepare(torch.split(correlated(150, 7, 12), 64), generator=generator())
    for name, tensor in pretrained(3).state_dict().items():
        torch.testing.assert_close(inner.state_dict()[name], tensor, rtol=0, atol=0)


def test_an_autoencoder_without_components_or_layers_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"got 4 channels, n_components = 4 and widths"):
        Sae(n_bands=4)
    with pytest.raises(InvalidInputError, match="set features = 'bands_and_components'"):
        Sae(n_bands=14, widths=[])


def test_gcnn_and_ecnn_have_the_described_layers() -> None:
    gabor = Gcnn(n_bands=27, padding="collapsed")
    assert [gabor.output_size(size) for size in (27, 25, 29)] == [1, 0, 1]
    assert gabor(torch.zeros(1, 27, 27, 27)).shape == (1, 128, 1, 1)
    assert n_parameters(gabor) == layer(27, 32, 16) + layer(32, 64, 25) + layer(64, 128, 16)
    profiles = Ecnn(n_bands=68, padding="collapsed")
    assert [profiles.output_size(size) for size in (9, 7, 11)] == [1, 0, 2]
    assert profiles(torch.zeros(1, 9, 9, 68)).shape == (1, 1024, 1, 1)
    convolutions = layer(68, 48, 9) + layer(48, 96, 9) + layer(96, 96, 9)
    assert n_parameters(profiles) == convolutions + layer(96, 1024)
