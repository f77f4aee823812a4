"""Classes of samples instead of means, so that mistakes have a say in the variance."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from pdml.embeddings.gaussian import GaussianEmbedding
from pdml.embeddings.model import Model


def sampled_logits(
    model: Model, embedding: GaussianEmbedding, n_samples: int, *, generator: torch.Generator
) -> Float[Tensor, "n class_"]:
    """Logarithm of the class probabilities of samples of the patches, averaged over the samples.

    The classifier sees z = m + std * eps instead of m, so a pixel whose class is not clear gains by
    being uncertain: Kendall and Gal, "What uncertainties do we need in Bayesian deep learning for
    computer vision?", NeurIPS 2017, Eq. 12, with the noise in the embedding instead of the logits.

    Args:
        model: The model whose classifier is asked.
        embedding: Every pixel of every patch.
        n_samples: Samples per pixel.
        generator: Source of the samples.
    """
    samples = embedding.sample(n_samples, generator=generator)
    logs = [model.classify(one).float().log_softmax(dim=1) for one in samples.unbind(dim=3)]
    return torch.stack(logs).logsumexp(dim=0) - math.log(len(logs))
