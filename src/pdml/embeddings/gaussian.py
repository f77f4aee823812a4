"""`GaussianEmbedding`: every pixel of every patch as a Gaussian with a diagonal covariance."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from pdml.errors import InvalidInputError


@dataclass(frozen=True)
class GaussianEmbedding:
    """Means and log-variances of the pixels of a batch of patches (Eqs. 4 and 5).

    Attributes:
        mean: One vector per pixel.
        log_variance: Logarithm of the variance of each coordinate; None for a point embedding.
    """

    mean: Float[Tensor, "n row col feature"]
    log_variance: Float[Tensor, "n row col feature"] | None = None

    @property
    def std(self) -> Float[Tensor, "n row col feature"]:
        """Standard deviation of each coordinate."""
        return torch.exp(0.5 * self.require_log_variance())

    @property
    def variance(self) -> Float[Tensor, "n row col feature"]:
        """Variance of each coordinate."""
        return torch.exp(self.require_log_variance())

    def require_log_variance(self) -> Float[Tensor, "n row col feature"]:
        """The log-variance, for a loss that cannot do without.

        Raises:
            InvalidInputError: If this is a point embedding.
        """
        if self.log_variance is None:
            raise InvalidInputError(
                "this loss needs an embedding with a variance, got a point embedding; "
                "choose head = 'gaussian' in the recipe"
            )
        return self.log_variance

    def sample(
        self, n_samples: int, *, generator: torch.Generator | None = None
    ) -> Float[Tensor, "n row col sample feature"]:
        """Draws samples by reparameterisation, z = m + std * eps (Eqs. 8 and 9)."""
        std = self.std
        noise = torch.randn(
            (*std.shape[:3], n_samples, std.shape[3]),
            generator=generator,
            device=std.device,
            dtype=std.dtype,
        )
        return torch.addcmul(self.mean.unsqueeze(3), std.unsqueeze(3), noise)
