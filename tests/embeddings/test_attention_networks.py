"""SSAtt, RIAN, CASSN and MSDN-SA against their layer sizes and plain restatements."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d, conv3d

from pdml.embeddings.backbone import BACKBONES
from pdml.embeddings.backbones.cassn import Cassn
from pdml.embeddings.backbones.msdn_sa import DilatedLayer, MsdnSa
from pdml.embeddings.backbones.rian import Rian, exchanged
from pdml.embeddings.backbones.ssatt import Ssatt
from pdml.embeddings.model import Model, ModelSpec, n_parameters
from pdml.errors import InvalidInputError, UnknownNameError
from pdml.patches.augment import dihedral_all


def plain(backbone: str, n_bands: int, n_classes: int, **options: object) -> Model:
    spec = ModelSpec(n_bands, n_classes, patch_size=9, backbone=backbone,
                     backbone_options=dict(options), head="point", classifier="pooled",
                     dropout=0.0)  # fmt: skip
    return Model(spec)


def layer(n_in: int, n_out: int, taps: int = 1) -> int:
    return n_in * n_out * taps + n_out


@pytest.mark.parametrize(("patch", "left"), [(8, 1), (9, 1), (11, 1), (7, 0), (13, 0)])
def test_ssatt_folds_two_by_two_pixels(patch: int, left: int) -> None:
    network = Ssatt(n_bands=12, padding="collapsed")
    assert network.output_size(patch) == left
    if left:
        assert network(torch.zeros(2, patch, patch, 12)).shape == (2, 128 + 512, 1, 1)


def test_ssatt_has_the_weights_that_the_described_layers_add_up_to() -> None:
    widths = (103, 32, 64, 128)
    convolutions = sum(layer(widths[i], widths[i + 1], 9) for i in range(3))
    channel_gates = sum(2 * layer(width, width) for width in widths[1:])
    pixel_gates = sum(
        layer(width, 1) + 2 * layer(1, 1, kernel**2)
        for width, kernel in zip(widths[1:], (7, 5, 3), strict=True)
    )
    network = plain("ssatt", 103, 9, padding="collapsed")
    last = 128 * 9 + 512 * 9 + 9
    expected = 2 * convolutions + channel_gates + pixel_gates + 1 + last
    assert n_parameters(network, norms=False) == expected
    along = plain("ssatt", 103, 9, padding="collapsed", gate="along")
    kernels_along = 2 * (3 + 5 + 7 + 3)
    assert n_parameters(along, norms=False) == expected - channel_gates + kernels_along


def ssatt_branch(network: Any, x: Tensor, which: str) -> Tensor:
    """The described branch in the framework's plainest operations."""
    branch = network.spectral if which == "spectral" else network.spatial
    for number in range(3):
        x = branch.convolutions[number](x).relu()
        if number:
            x = nn.functional.max_pool2d(x, 2)
        gate = branch.gates[number]
        if which == "spectral":
            weights = gate.second(gate.first(x.mean((2, 3))).relu()).sigmoid()
            x = x * weights.view(*weights.shape, 1, 1)
        else:
            around = gate.first.weight.shape[2] // 2
            weights = conv2d(x, gate.combine.weight, gate.combine.bias).relu()
            weights = conv2d(weights, gate.first.weight, gate.first.bias, padding=around).relu()
            weights = conv2d(weights, gate.second.weight, gate.second.bias, padding=around)
            x = x * weights.sigmoid()
    ended: Tensor = x
    return ended


def test_one_last_layer_gives_the_weighted_sum_of_both_networks_classifiers() -> None:
    torch.manual_seed(0)
    network: Any = plain("ssatt", 20, 5, padding="collapsed").eval()
    backbone, last = network.backbone, network.classifier.linear
    patches = torch.randn(3, 9, 9, 20)
    x = patches.permute(0, 3, 1, 2)
    share = backbone.alpha.sigmoid()
    of_spectral = ssatt_branch(backbone, x, "spectral").mean((2, 3)) @ last.weight[:, :128].T
    of_spatial = ssatt_branch(backbone, x, "spatial").flatten(1) @ last.weight[:, 128:].T
    expected = share * of_spectral + (1 - share) * of_spatial + last.bias
    torch.testing.assert_close(network(patches)[1], expected, rtol=1e-4, atol=1e-5)
    assert float(share.detach()) == pytest.approx(0.6225, abs=1e-4)


def test_rian_has_the_described_layers() -> None:
    network = plain("rian", 103, 9)
    expected = layer(103, 103) + 103 * 64 + 2 * 3 * 64 * 64 + layer(64, 9)
    assert n_parameters(network, norms=False) == expected
    assert n_parameters(network) == expected + 7 * 2 * 64


def test_rian_is_the_described_network() -> None:
    torch.manual_seed(0)
    network: Any = Rian(n_bands=12, width=8)
    patches = torch.randn(6, 5, 5, 12)
    network(patches)
    network.eval().requires_grad_(False)

    def normal(x: Tensor, norm: Any) -> Tensor:
        scale = norm.weight / (norm.running_var + 1e-5).sqrt()
        normalised: Tensor = (x - norm.running_mean) * scale + norm.bias
        return normalised

    centre = patches[:, 2, 2] @ network.band_gate.weight.T + network.band_gate.bias
    x = patches.view(6, 25, 12) * centre.sigmoid()[:, None]
    x = normal(x @ network.encoder.linear.weight.T, network.encoder.norm).relu()
    for block in network.blocks:
        y = normal(x @ block.first.linear.weight.T, block.first.norm).relu()
        y = normal(y @ block.second.linear.weight.T, block.second.norm).relu()
        y = torch.stack([exchanged_by_loops(patch) for patch in y])
        x = (x + normal(y @ block.last.weight.T, block.norm)).relu()
    expected = x.transpose(1, 2).reshape(6, 8, 5, 5)
    torch.testing.assert_close(network(patches), expected, rtol=1e-4, atol=1e-5)


def exchanged_by_loops(pixels: Tensor) -> Tensor:
    rows: list[Tensor] = []
    for one in pixels:
        similar = torch.stack([one @ other for other in pixels])
        kept = [float(s) if s > 0.6 * similar.max() else -100.0 for s in similar]
        weights = torch.tensor(kept).softmax(0)
        rows.append(weights @ pixels)
    return torch.stack(rows)


def test_a_pixel_alone_exchanges_with_itself() -> None:
    pixels = torch.eye(4)[None] * 5
    torch.testing.assert_close(exchanged(pixels, threshold=0.6), pixels)


@pytest.mark.parametrize(
    ("name", "options"), [("rian", {}), ("cassn", {"padding": "collapsed"}), ("cassn", {})]
)
def test_turning_or_mirroring_a_patch_changes_nothing(
    name: str, options: dict[str, object]
) -> None:
    torch.manual_seed(0)
    network = plain(name, 15, 4, **options).eval()
    patches = torch.randn(3, 9, 9, 15)
    logits = [network(turned)[1] for turned in dihedral_all(patches)]
    for other in logits[1:]:
        torch.testing.assert_close(other, logits[0], rtol=1e-4, atol=1e-5)


def test_the_centre_of_cassn_is_the_same_whether_others_ask_too() -> None:
    torch.manual_seed(0)
    padded, collapsed = Cassn(n_bands=15).eval(), Cassn(n_bands=15, padding="collapsed").eval()
    collapsed.load_state_dict(padded.state_dict())
    patches = torch.randn(3, 9, 9, 15)
    torch.testing.assert_close(collapsed(patches)[:, :, 0, 0], padded(patches)[:, :, 4, 4])


@pytest.mark.parametrize("dilation", [1, 2, 3])
@pytest.mark.parametrize("n_positions", [1, 2, 3, 9])
def test_taps_side_by_side_are_a_dilated_convolution(dilation: int, n_positions: int) -> None:
    torch.manual_seed(0)
    network = DilatedLayer(5, 2, dilation=dilation).eval()
    x = torch.randn(2, n_positions, 5, 4, 4)
    kernel = network.taps.weight.view(3, 2, 5, 3, 3).permute(1, 2, 0, 3, 4)
    expected = conv3d(
        x.transpose(1, 2), kernel, padding=(dilation, 1, 1), dilation=(dilation, 1, 1)
    )
    expected = (expected / (1 + 1e-5) ** 0.5).relu().transpose(1, 2)
    torch.testing.assert_close(network(x), expected, rtol=1e-4, atol=1e-5)


def test_every_layer_of_msdn_sa_sees_all_maps_before_it() -> None:
    network: Any = MsdnSa(n_bands=103)
    assert network.n_features == 16 + 6 * 4
    assert [layer.taps.in_channels for layer in network.layers] == [16, 20, 24, 28, 32, 36]
    assert [layer.dilation for layer in network.layers] == [1, 2, 3] * 2
    assert network.gate.excite[0].in_features == 25
    assert MsdnSa(n_bands=103, band_stride=2).gate.excite[2].out_features == 49


def test_bad_options_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"threshold of rian must be from 0 .* got 1\.0"):
        Rian(n_bands=20, threshold=1.0)
    with pytest.raises(UnknownNameError, match="unknown gate 'across'"):
        Ssatt(n_bands=20, gate="across")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="msdn_sa needs at least 7 bands, got 6"):
        MsdnSa(n_bands=6)
    assert {"rian", "cassn", "ssatt", "msdn_sa"} <= set(BACKBONES.names())
