"""Classifiers that compare an embedding with one prototype per class, instead of a linear map.

Metric learning arranges classes as clusters; the nearest prototype is then the natural decision,
and with few labels it has less to overfit. Prototypes are learnt by a softmax over similarities, or
they are the running means of the classes in the embedding, for which nothing is learnt but a scale.
"""

from __future__ import annotations

import math
from typing import Literal, get_args

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import normalize

from pdml.errors import unknown_name

Similarity = Literal["cosine", "distance", "class_mean"]
SIMILARITIES: tuple[Similarity, ...] = get_args(Similarity)

SCALE_OF_COSINES = 16.0
"""First factor of cosines: their softmax over classes would be flat without one."""

MEMORY = 0.9
"""Weight of the past in a running class mean, per batch that has the class."""


class PrototypeClassifier(nn.Module):
    """Scores classes by the likeness of an embedding to their prototypes.

    Args:
        embedding_size: Size of what is compared.
        n_classes: Number of classes.
        sees: "centre": the centre's mean; "map": the whole mean matrix; "pooled": its average.
        similarity: "cosine" of the angle to learnt prototypes; "distance": squared distance to
            them, negative; "class_mean": that to the running mean of each class.
        dropout: Dropout before the average is compared.

    Raises:
        UnknownNameError: If there is no such similarity.
    """

    count: Tensor
    prototypes: Tensor

    def __init__(
        self,
        embedding_size: int,
        n_classes: int,
        *,
        sees: str,
        similarity: str,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if similarity not in SIMILARITIES:
            raise unknown_name("form of a classifier", similarity, ["linear", *SIMILARITIES])
        self.sees = sees
        self.similarity = similarity
        self.dropout = nn.Dropout(dropout) if sees == "pooled" else nn.Identity()
        start = SCALE_OF_COSINES if similarity == "cosine" else 1.0
        self.log_scale = nn.Parameter(torch.tensor(math.log(start)))
        first = torch.randn(n_classes, embedding_size)
        if similarity == "class_mean":
            self.register_buffer("prototypes", torch.zeros_like(first))
            self.register_buffer("count", torch.zeros(n_classes))
        else:
            self.prototypes = nn.Parameter(first)

    def forward(self, mean: Float[Tensor, "n row col feature"]) -> Float[Tensor, "n class_"]:
        """Logits of each patch."""
        with torch.autocast(mean.device.type, enabled=False):
            seen = self.dropout(self._seen(mean.float()))
            scale = self.log_scale.exp()
            if self.similarity == "cosine":
                likeness = normalize(seen) @ normalize(self.prototypes).T
            else:
                # Divided by the size, so that one scale serves an embedding of any dimension.
                likeness = -_squared_distances(seen, self.prototypes) / seen.shape[1]
            return likeness * scale

    @torch.no_grad()
    def learn(self, mean: Float[Tensor, "n row col feature"], classes: Int[Tensor, " n"]) -> None:
        """Moves the running mean of each class that the patches have; without effect on others."""
        if self.similarity != "class_mean":
            return
        seen = self._seen(mean.float())
        for number in torch.unique(classes).tolist():
            found = seen[classes == number].mean(dim=0)
            past = MEMORY if self.count[number] > 0 else 0.0
            self.prototypes[number] = past * self.prototypes[number] + (1 - past) * found
            self.count[number] += 1

    def _seen(self, mean: Float[Tensor, "n row col feature"]) -> Float[Tensor, "n compared"]:
        if self.sees == "centre":
            return mean[:, mean.shape[1] // 2, mean.shape[2] // 2]
        return mean.flatten(1) if self.sees == "map" else mean.mean(dim=(1, 2))


def _squared_distances(
    points: Float[Tensor, "n feature"], prototypes: Float[Tensor, "class_ feature"]
) -> Float[Tensor, "n class_"]:
    difference: Tensor = points[:, None] - prototypes
    return difference.square().sum(dim=2)
