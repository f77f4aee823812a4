"""Classifiers on the mean matrix of a patch (Eq. 16), one class per reading of the paper."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor, nn


class CentreClassifier(nn.Module):
    """A linear map of the centre pixel's mean: what the introduction of the paper describes."""

    def __init__(self, embedding_size: int, n_classes: int) -> None:
        super().__init__()
        self.linear = nn.Linear(embedding_size, n_classes)

    def forward(self, mean: Float[Tensor, "n row col feature"]) -> Float[Tensor, "n class_"]:
        """Logits of each patch."""
        logits: Tensor = self.linear(mean[:, mean.shape[1] // 2, mean.shape[2] // 2])
        return logits


class MapClassifier(nn.Module):
    """A convolution over the whole mean matrix: what the paper's section on classification says."""

    def __init__(self, embedding_size: int, n_classes: int, *, patch_size: int) -> None:
        super().__init__()
        self.linear = nn.Linear(patch_size**2 * embedding_size, n_classes)

    def forward(self, mean: Float[Tensor, "n row col feature"]) -> Float[Tensor, "n class_"]:
        """Logits of each patch."""
        logits: Tensor = self.linear(mean.flatten(1))
        return logits


class PooledClassifier(nn.Module):
    """Average over the patch, dropout, linear map: how the plain networks end."""

    def __init__(self, embedding_size: int, n_classes: int, *, dropout: float = 0.5) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.linear = nn.Linear(embedding_size, n_classes)

    def forward(self, mean: Float[Tensor, "n row col feature"]) -> Float[Tensor, "n class_"]:
        """Logits of each patch."""
        logits: Tensor = self.linear(self.dropout(mean.mean(dim=(1, 2))))
        return logits
