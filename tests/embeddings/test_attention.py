"""Two attention modules, written out for one pixel."""

from __future__ import annotations

import torch

from pdml.embeddings.attentions.cbam import Cbam
from pdml.embeddings.attentions.se import SqueezeExcitation
from pdml.embeddings.attentions.spatial import Spatial


def test_channels_are_squeezed_to_their_means_and_excited() -> None:
    torch.manual_seed(0)
    module = SqueezeExcitation(n_features=4)
    x = torch.randn(1, 4, 3, 3)
    first, _, second = module.excite
    squeezed = torch.tensor([[x[0, c].mean() for c in range(4)]])
    gate = torch.sigmoid(second(torch.relu(first(squeezed))))[0]
    for channel in range(4):
        torch.testing.assert_close(module(x)[0, channel], x[0, channel] * gate[channel])


def test_a_pixel_is_weighed_by_mean_and_maximum_around_it() -> None:
    torch.manual_seed(0)
    module = Spatial(n_features=4)
    x = torch.randn(1, 4, 7, 7)
    kernel, bias = module.around.weight[0], module.around.bias
    assert bias is not None
    # The kernel of 7 x 7 covers the whole map at its centre.
    total = bias + (kernel[0] * x[0].mean(0)).sum() + (kernel[1] * x[0].max(0).values).sum()
    expected = x[0, :, 3, 3] * torch.sigmoid(total)
    torch.testing.assert_close(module(x)[0, :, 3, 3], expected)


def test_cbam_of_a_constant_map_weighs_channels_twice_as_surely() -> None:
    torch.manual_seed(0)
    module = Cbam(n_features=4)
    x = torch.randn(1, 4, 1, 1).expand(1, 4, 3, 3)  # mean and maximum agree
    gate = torch.sigmoid(2 * module.excite(x[:, :, 0, 0]))
    torch.testing.assert_close(module(x), module.spatial(x * gate[:, :, None, None]))
