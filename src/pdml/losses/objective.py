"""`Objective`: the paper's three terms, weighted and summed (Eqs. 15 to 18)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from pdml.embeddings.gaussian import GaussianEmbedding
from pdml.embeddings.mixture import MixtureEmbedding, compared_log_variance
from pdml.errors import InvalidInputError, unknown_name
from pdml.losses.kl_to_unit import kl_to_unit
from pdml.losses.lap_variance import LapForm, lap_variance
from pdml.losses.metric_loss import METRIC_LOSSES, require_options
from pdml.losses.reduction import Reduction, require_reduction

EmbedWith = Literal["samples", "mean"]


@dataclass(frozen=True)
class ObjectiveTerms:
    """The objective of one batch and its terms.

    Attributes:
        total: What training minimises, the weighted sum of the terms.
        pairs: The metric loss over all pixels, unweighted.
        variance: The lap-variance penalty, unweighted.
        classes: The cross-entropy, unweighted.
    """

    total: Float[Tensor, ""]
    pairs: Float[Tensor, ""]
    variance: Float[Tensor, ""]
    classes: Float[Tensor, ""]


class Objective(nn.Module):
    """Sums lambda_variance * J_var + lambda_pairs * J_pcon + lambda_classes * J_ce.

    A term whose weight is zero is not computed and reads zero.

    Args:
        lambda_variance: Weight of the lap-variance penalty (lambda_1).
        lambda_pairs: Weight of the metric loss (lambda_2).
        lambda_classes: Weight of the cross-entropy (lambda_3).
        lambda_kl: Weight of the divergence of all Gaussians from a unit Gaussian.
        n_samples: Monte-Carlo samples per pixel (K).
        alpha: Margin of the lap-variance penalty, as a share.
        lap_form: Form of the lap-variance penalty.
        reduction: `mean` averages every term; `paper` sums where the paper sums.
        metric: Registered name of the metric loss.
        metric_options: Further options of that loss.
        embed_with: Whether the metric loss sees samples or only the means.
        n_features: Size of the embedding, for a metric loss with weights of its own.
        n_classes: Number of classes, for such a loss.
        label_smoothing: Share of each label that is spread over all classes in the cross-entropy.
        class_weights: Weight of each class in the cross-entropy; all alike if empty.

    Raises:
        UnknownNameError: If a name does not exist.
        InvalidInputError: If a weight is negative, all are zero, or there are no samples.
    """

    class_weights: Tensor | None

    def __init__(
        self,
        *,
        lambda_variance: float = 1.0,
        lambda_pairs: float = 1.0,
        lambda_classes: float = 1.0,
        lambda_kl: float = 0.0,
        n_samples: int = 3,
        alpha: float = 0.2,
        lap_form: LapForm = "hinge",
        reduction: Reduction = "mean",
        metric: str = "probabilistic_contrastive",
        metric_options: Mapping[str, str | float] | None = None,
        embed_with: EmbedWith = "samples",
        n_features: int = 0,
        n_classes: int = 0,
        label_smoothing: float = 0.0,
        class_weights: Sequence[float] = (),
    ) -> None:
        super().__init__()
        weights = (lambda_variance, lambda_pairs, lambda_classes)
        if not (all(weight >= 0 for weight in (*weights, lambda_kl)) and any(weights)):
            raise InvalidInputError(
                "the weights of the objective must not be negative and one must be positive, got "
                f"lambda_variance = {lambda_variance}, lambda_pairs = {lambda_pairs}, "
                f"lambda_classes = {lambda_classes}; try 1 for each"
            )
        if n_samples < 1:
            raise InvalidInputError(f"n_samples must be at least 1, got {n_samples}; try 3")
        if lap_form not in get_args(LapForm):
            raise unknown_name("lap form", lap_form, get_args(LapForm))
        if embed_with not in get_args(EmbedWith):
            raise unknown_name("choice of embed_with", embed_with, get_args(EmbedWith))
        require_reduction(reduction)
        self.lambda_variance, self.lambda_pairs, self.lambda_classes = weights
        self.lambda_kl = lambda_kl
        self.n_samples = n_samples
        self.alpha = alpha
        self.lap_form: LapForm = lap_form
        self.reduction: Reduction = reduction
        self.embed_with: EmbedWith = embed_with
        self.label_smoothing = label_smoothing
        weights_of_classes = torch.tensor(class_weights) if class_weights else None
        self.register_buffer("class_weights", weights_of_classes, persistent=False)
        options = dict(metric_options or {})
        kind = METRIC_LOSSES.get(metric)
        require_options(kind, options)
        self.metric = kind.build(
            n_features=n_features, n_classes=n_classes, reduction=reduction, **options
        )

    @property
    def match(self) -> tuple[float, float] | None:
        """Slope and threshold of the match probability; None where none is learnt."""
        return self.metric.match if self.lambda_pairs > 0 else None

    @torch.no_grad()
    def start(
        self, embedding: GaussianEmbedding, *, generator: torch.Generator | None = None
    ) -> None:
        """Sets the metric loss's own parameters from the embedding of a first batch."""
        if self.lambda_pairs > 0:
            self.metric.start(self._samples(_in_float32(embedding), generator))

    def forward(
        self,
        embedding: GaussianEmbedding,
        logits: Float[Tensor, "n class"],
        labels: Int[Tensor, " n"],
        *,
        generator: torch.Generator | None = None,
        pixel_classes: Int[Tensor, "n row col"] | None = None,
        targets: Float[Tensor, "n class_"] | None = None,
    ) -> ObjectiveTerms:
        """The objective of a batch, in float32 also when the network ran in bfloat16.

        Args:
            embedding: Every pixel of every patch; a point embedding serves if only the
                cross-entropy has a weight.
            logits: Scores of the classes of each patch.
            labels: Class of each patch; its pixels all carry it unless more is known of them.
            generator: Source of the Monte-Carlo samples.
            pixel_classes: Class of each pixel for the metric loss; those below 0 are left out.
            targets: Shares of the classes in each patch for the cross-entropy, where it is mixed.

        Raises:
            InvalidInputError: If the sizes disagree or a needed variance is missing.
        """
        n_patches = len(embedding.mean)
        if not len(logits) == len(labels) == n_patches:
            raise InvalidInputError(
                "embedding, logits and labels must be of the same patches, got "
                f"{n_patches}, {len(logits)} and {len(labels)}; pass those of one batch"
            )
        with torch.autocast(embedding.mean.device.type, enabled=False):
            embedding = _in_float32(embedding)
            pairs = variance = classes = embedding.mean.new_zeros(())
            if self.lambda_pairs > 0:
                pairs = self._pairs(embedding, labels, pixel_classes, generator)
            if self.lambda_variance > 0:
                variance = lap_variance(
                    compared_log_variance(embedding),
                    alpha=self.alpha,
                    form=self.lap_form,
                    reduction=self.reduction,
                )
            if self.lambda_classes > 0:
                reduction = "sum" if self.reduction == "paper" else "mean"
                classes = cross_entropy(
                    _float32(logits),
                    labels if targets is None else targets,
                    weight=self.class_weights,
                    reduction=reduction,
                    label_smoothing=self.label_smoothing,
                )
            total = (
                self.lambda_variance * variance
                + self.lambda_pairs * pairs
                + self.lambda_classes * classes
            )
            if self.lambda_kl > 0:
                log_variance = compared_log_variance(embedding)
                total = total + self.lambda_kl * kl_to_unit(_compared_mean(embedding), log_variance)
        return ObjectiveTerms(total=total, pairs=pairs, variance=variance, classes=classes)

    def _pairs(
        self,
        embedding: GaussianEmbedding,
        labels: Int[Tensor, " n"],
        pixel_classes: Int[Tensor, "n row col"] | None,
        generator: torch.Generator | None,
    ) -> Float[Tensor, ""]:
        samples = self._samples(embedding, generator)
        of_map = embedding.mean.shape[:3]
        if pixel_classes is None:
            classes = labels.repeat_interleave(of_map[1] * of_map[2])
        elif pixel_classes.shape == of_map:
            flat = pixel_classes.flatten()
            samples, classes = samples[flat >= 0], flat[flat >= 0]
        else:
            raise InvalidInputError(
                "classes of pixels need a map that has the size of the patch, got patches of "
                f"{tuple(pixel_classes.shape[1:])} pixels and a map of {tuple(of_map[1:])}; "
                "choose a network that keeps the size, or known_neighbours = 'as_centre' and "
                "border_mixing = 0"
            )
        loss: Float[Tensor, ""] = self.metric(samples, classes)
        return loss

    def _samples(
        self, embedding: GaussianEmbedding, generator: torch.Generator | None
    ) -> Float[Tensor, "pixel sample feature"]:
        if self.embed_with == "mean":
            return embedding.mean.flatten(0, 2).unsqueeze(1)
        return embedding.sample(self.n_samples, generator=generator).flatten(0, 2)


def _compared_mean(embedding: GaussianEmbedding) -> Float[Tensor, "n row col feature"]:
    if isinstance(embedding, MixtureEmbedding):
        return torch.cat([each.mean for each in embedding.components], dim=3)
    return embedding.mean


def _in_float32(embedding: GaussianEmbedding) -> GaussianEmbedding:
    if isinstance(embedding, MixtureEmbedding):
        return MixtureEmbedding.of(tuple(map(_in_float32, embedding.components)))
    log_variance = embedding.log_variance
    return GaussianEmbedding(
        _float32(embedding.mean), None if log_variance is None else _float32(log_variance)
    )


def _float32(tensor: Tensor) -> Tensor:
    """Float32, or float64 if that is what the caller already computes in."""
    return tensor if tensor.dtype == torch.float64 else tensor.float()
