"""Each pixel as a mixture of a few Gaussians that are equally likely.

The paper compares one, two and three Gaussians per pixel and does not say how. Chosen here: every
Gaussian has its own two convolutions; the mixture's mean goes to the classifier; samples are drawn
from each Gaussian, so that none is forgotten; laps are compared by the variances that the
convolutions give; and the uncertainty of a pixel is the variance of the whole mixture.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from pdml.embeddings.gaussian import GaussianEmbedding
from pdml.embeddings.head import GaussianHead


@dataclass(frozen=True)
class MixtureEmbedding(GaussianEmbedding):
    """Mean and log-variance of the mixtures of all pixels, and the Gaussians that they consist of.

    Attributes:
        components: The Gaussians, each for all pixels.
    """

    components: tuple[GaussianEmbedding, ...] = ()

    @classmethod
    def of(cls, components: tuple[GaussianEmbedding, ...]) -> MixtureEmbedding:
        """The mixture of equally likely Gaussians.

        Its variance is the mean of their variances and the variance of their means.
        """
        means = torch.stack([component.mean for component in components])
        within = torch.stack([component.variance for component in components]).mean(dim=0)
        between = means.var(dim=0, correction=0)
        return cls(means.mean(dim=0), torch.log(within + between), components)

    def sample(
        self, n_samples: int, *, generator: torch.Generator | None = None
    ) -> Float[Tensor, "n row col sample feature"]:
        """Draws so many samples from each Gaussian, one Gaussian's after the other's."""
        drawn = [each.sample(n_samples, generator=generator) for each in self.components]
        return torch.cat(drawn, dim=3)


def compared_log_variance(embedding: GaussianEmbedding) -> Float[Tensor, "n row col feature"]:
    """The log-variances that laps are compared by: those of all Gaussians side by side.

    Raises:
        InvalidInputError: If this is a point embedding.
    """
    if isinstance(embedding, MixtureEmbedding):
        return torch.cat([each.require_log_variance() for each in embedding.components], dim=3)
    return embedding.require_log_variance()


class MixtureHead(nn.Module):
    """Maps features to several Gaussians per pixel.

    Args:
        n_features: Channels of the backbone's output.
        n_gaussians: Gaussians per pixel.
        embedding_size: Dimension r of the Gaussians.
        kernel_size: 1 or 3; 3 is padded so that the patch keeps its size.
    """

    def __init__(
        self, n_features: int, *, n_gaussians: int, embedding_size: int = 64, kernel_size: int = 3
    ) -> None:
        super().__init__()
        self.components = nn.ModuleList(
            GaussianHead(n_features, embedding_size=embedding_size, kernel_size=kernel_size)
            for _ in range(n_gaussians)
        )

    def forward(self, features: Float[Tensor, "n channel row col"]) -> MixtureEmbedding:
        """The embedding of every pixel."""
        return MixtureEmbedding.of(tuple(component(features) for component in self.components))

    @torch.no_grad()
    def start(self, embedding: MixtureEmbedding) -> None:
        """Sets each Gaussian's first variance from the distances between its own means."""
        for head, component in zip(self.components, embedding.components, strict=True):
            assert isinstance(head, GaussianHead)  # the list holds nothing else
            head.start(component)
