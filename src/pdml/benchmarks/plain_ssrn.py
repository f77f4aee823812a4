"""SSRN as one would first write it, with `Conv3d` and `BatchNorm3d`: the plain counterpart.

It computes what `pdml.embeddings.backbones.ssrn` computes and takes over its weights, so that tests
can compare the two and measurements can say what the faster layout saves.
"""

from __future__ import annotations

from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from pdml.embeddings.backbones.ssrn import Ssrn
from pdml.embeddings.norm_relu import NormRelu
from pdml.embeddings.residual_plane import SpatialBlock
from pdml.embeddings.residual_spectra import BAND_KERNEL, BAND_STRIDE, SpectralBlock

Size = tuple[int, int, int]

SPECTRAL: Size = (1, 1, BAND_KERNEL)
SPATIAL: Size = (3, 3, 1)


def norm_relu(n_channels: int) -> nn.Sequential:
    """Batch normalisation and ReLU as two layers."""
    return nn.Sequential(nn.BatchNorm3d(n_channels), nn.ReLU())


class PlainBlock(nn.Module):
    """A residual block over volumes; the kernel's size makes it spectral or spatial."""

    def __init__(self, n_channels: int, kernel: Size, *, activate_first: bool, project: bool):
        super().__init__()
        padding = (kernel[0] // 2, kernel[1] // 2, kernel[2] // 2)
        self.before = norm_relu(n_channels) if activate_first else nn.Identity()
        self.first = nn.Conv3d(n_channels, n_channels, kernel, padding=padding)
        self.between = norm_relu(n_channels)
        self.second = nn.Conv3d(n_channels, n_channels, kernel, padding=padding)
        self.shortcut = nn.Conv3d(n_channels, n_channels, 1) if project else nn.Identity()

    def forward(self, x: Float[Tensor, "n channel row col depth"]) -> Tensor:
        """Adds the residual."""
        kept: Tensor = self.shortcut(x)
        residual: Tensor = self.second(self.between(self.first(self.before(x))))
        return kept + residual

    def copy_from(self, block: SpectralBlock | SpatialBlock) -> None:
        """Takes over the weights of a block in the fast layout."""
        # The kernel's missing axis is the row of a spectral block, the depth of a spatial one.
        axis = 2 if isinstance(block, SpectralBlock) else 4
        _copy_norm(self.before, block.before)
        _copy(self.first, block.first, block.first.weight.unsqueeze(axis))
        _copy_norm(self.between, block.between)
        _copy(self.second, block.second, block.second.weight.unsqueeze(axis))
        if isinstance(block, SpatialBlock) and block.shortcut is not None:
            _copy(self.shortcut, block.shortcut, block.shortcut.weight[:, :, None, None, None])


class PlainSsrn(nn.Module):
    """SSRN over volumes (n, channel, row, col, depth), with the sizes and weights of another.

    Args:
        ssrn: The network in the fast layout.
    """

    def __init__(self, ssrn: Ssrn) -> None:
        super().__init__()
        self.n_bands = ssrn.n_bands
        self.n_features = n = ssrn.n_features
        n_spectral, n_filters = len(ssrn.spectral_blocks), ssrn.spanning.out_features
        n_positions = ssrn.spanning.in_features // n
        n_norms = len(ssrn.after_spectral)
        project = any(block.shortcut is not None for block in _spatial(ssrn))
        self.first = nn.Conv3d(1, n, SPECTRAL, stride=(1, 1, BAND_STRIDE))
        self.after_first = norm_relu(n)
        self.spectral_blocks = nn.Sequential(
            *(
                PlainBlock(n, SPECTRAL, activate_first=i > 0, project=False)
                for i in range(n_spectral)
            )
        )
        self.after_spectral = nn.Sequential(*(norm_relu(n) for _ in range(n_norms)))
        self.spanning = nn.Conv3d(n, n_filters, (1, 1, n_positions))
        self.after_spanning = norm_relu(n_filters)
        self.entry = nn.Conv3d(1, n, (3, 3, n_filters), padding=(1, 1, 0))
        self.after_entry = norm_relu(n)
        self.spatial_blocks = nn.Sequential(
            *(
                PlainBlock(n, SPATIAL, activate_first=i > 0, project=project)
                for i in range(len(ssrn.spatial_blocks))
            )
        )
        self.after_spatial = nn.Sequential(*(norm_relu(n) for _ in range(n_norms)))
        self.to(ssrn.first.weight)
        self.copy_from(ssrn)

    def forward(
        self, patches: Float[Tensor, "n row col band"]
    ) -> Float[Tensor, "n feature row col"]:
        """One vector per pixel that has seen its neighbours."""
        x = self.after_first(self.first(patches.unsqueeze(1)))
        x = self.after_spectral(self.spectral_blocks(x))
        x = self.after_spanning(self.spanning(x))
        x = self.after_entry(self.entry(x.permute(0, 4, 2, 3, 1)))
        volume: Tensor = self.after_spatial(self.spatial_blocks(x))
        return volume.squeeze(4)

    @torch.no_grad()
    def copy_from(self, ssrn: Ssrn) -> None:
        """Takes over weights and running statistics."""
        n, n_filters = self.n_features, self.spanning.out_channels
        _copy(self.first, ssrn.first, ssrn.first.weight.view(n, 1, 1, 1, -1))
        _copy_norm(self.after_first, ssrn.after_first)
        by_position = ssrn.spanning.weight.view(n_filters, -1, n)
        _copy(self.spanning, ssrn.spanning, by_position.transpose(1, 2)[:, :, None, None])
        _copy_norm(self.after_spanning, ssrn.after_spanning)
        _copy(self.entry, ssrn.entry, ssrn.entry.weight.permute(0, 2, 3, 1).unsqueeze(1))
        _copy_norm(self.after_entry, ssrn.after_entry)
        for ours, theirs in (
            (self.after_spectral, ssrn.after_spectral),
            (self.after_spatial, ssrn.after_spatial),
        ):
            for norm, fast in zip(ours, theirs, strict=True):
                _copy_norm(norm, fast)
        for ours, blocks in (
            (self.spectral_blocks, ssrn.spectral_blocks),
            (self.spatial_blocks, ssrn.spatial_blocks),
        ):
            for block, fast in zip(ours, blocks, strict=True):
                cast(PlainBlock, block).copy_from(cast(SpectralBlock | SpatialBlock, fast))


def _spatial(ssrn: Ssrn) -> list[SpatialBlock]:
    return [block for block in ssrn.spatial_blocks if isinstance(block, SpatialBlock)]


def _copy(plain: nn.Module, fast: nn.Conv2d | nn.Linear, weight: Tensor) -> None:
    state = {"weight": weight}
    if fast.bias is not None:
        state["bias"] = fast.bias
    plain.load_state_dict(state)


def _copy_norm(plain: nn.Module, fast: nn.Module) -> None:
    if isinstance(fast, NormRelu) and isinstance(plain, nn.Sequential):
        plain[0].load_state_dict(fast.state_dict(), strict=False)  # it counts batches besides
