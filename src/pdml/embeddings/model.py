"""The model: backbone, head and classifier, built from a handful of plain values."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from pdml.embeddings.attention import ATTENTIONS, NO_ATTENTION, AttendedBackbone
from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.embeddings.classifier import CentreClassifier, MapClassifier, PooledClassifier
from pdml.embeddings.gaussian import GaussianEmbedding
from pdml.embeddings.head import GaussianHead, PointHead
from pdml.embeddings.mixture import MixtureHead
from pdml.embeddings.norm_relu import NormRelu
from pdml.embeddings.patch_model import PatchModel, PatchSpec
from pdml.embeddings.prototypes import PrototypeClassifier
from pdml.errors import InvalidInputError, unknown_name

CLASSIFIERS = ("centre", "map", "pooled")


@dataclass(frozen=True)
class ModelSpec(PatchSpec):
    """Everything that is needed to build a model; stored beside its weights.

    Attributes:
        backbone: Name of a registered backbone.
        backbone_options: Its own options.
        attention: Name of a registered attention module that follows it, or `"none"`.
        head: `"gaussian"` for PDML, `"point"` for the plain network.
        n_gaussians: Gaussians per pixel.
        embedding_size: Dimension of the Gaussians; the plain network has its backbone's.
        head_kernel: Kernel of the two convolutions of the Gaussian head.
        classifier: `"centre"`, `"map"` or `"pooled"`.
        dropout: Dropout before the pooled classifier.
        classifier_form: `"linear"`, or how an embedding is compared with prototypes of the classes:
            `"cosine"`, `"distance"` or `"class_mean"`.
        feature_dropout: Dropout of the means before any classifier.
        average_symmetries: Predictions are averages over the 8 turns and reflections of a patch.
    """

    backbone: str = "ssrn"
    backbone_options: dict[str, Any] = field(default_factory=dict)
    attention: str = NO_ATTENTION
    head: str = "gaussian"
    n_gaussians: int = 1
    embedding_size: int = 64
    head_kernel: int = 3
    classifier: str = "centre"
    dropout: float = 0.5
    classifier_form: str = "linear"
    feature_dropout: float = 0.0
    average_symmetries: bool = False


class Model(PatchModel):
    """Patches in; Gaussian embeddings of all pixels and class logits of the centre out."""

    spec: ModelSpec

    def __init__(self, spec: ModelSpec) -> None:
        super().__init__()
        self.spec = spec
        self.backbone = _build_backbone(spec)
        self.map_size = _map_size(self.backbone, spec)
        self.head = _build_head(spec, self.backbone.n_features)
        plain = isinstance(self.head, PointHead)
        self.embedding_size = self.backbone.n_features if plain else spec.embedding_size
        self.feature_dropout = nn.Dropout(spec.feature_dropout)
        self.classifier = _build_classifier(spec, self.embedding_size, map_size=self.map_size)

    def forward(
        self, patches: Float[Tensor, "n row col band"]
    ) -> tuple[GaussianEmbedding, Float[Tensor, "n class_"]]:
        """Embedding and logits of a batch of patches."""
        return self._finish(self.backbone(patches))

    @property
    def has_variance(self) -> bool:
        """Whether its embeddings are Gaussians."""
        return self.spec.head == "gaussian"

    @property
    def averages_symmetries(self) -> bool:
        """What the recipe wants."""
        return self.spec.average_symmetries

    @property
    def n_values(self) -> int:
        """Number of trained values."""
        return n_parameters(self)

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """What the backbone makes of single spectra."""
        return self.backbone.spectra(pixels)

    def from_spectra(
        self, features: Float[Tensor, "n row col channel"]
    ) -> tuple[GaussianEmbedding, Float[Tensor, "n class_"]]:
        """The same from features that the backbone's spectral stage computed before."""
        return self._finish(self.backbone.patches(features.permute(0, 3, 1, 2)))

    @torch.no_grad()
    def start(self, patches: Float[Tensor, "n row col band"]) -> None:
        """Sets what depends on the data before the first step: the head's first variance."""
        if not isinstance(self.head, PointHead):
            embedding, _ = self(patches)
            self.head.start(embedding)

    def _finish(
        self, features: Float[Tensor, "n channel row col"]
    ) -> tuple[GaussianEmbedding, Float[Tensor, "n class_"]]:
        embedding: GaussianEmbedding = self.head(features)
        return embedding, self.classifier(self.feature_dropout(embedding.mean))


def _build_backbone(spec: ModelSpec) -> Backbone:
    kind = BACKBONES.get(spec.backbone)
    for name in spec.backbone_options:
        if name not in kind.options:
            raise unknown_name(f"option of {spec.backbone}", name, kind.options)
    sizes = {"patch_size": spec.patch_size} if kind.sized else {}
    backbone = kind(n_bands=spec.n_components or spec.n_bands, **sizes, **spec.backbone_options)
    if spec.attention == NO_ATTENTION:
        return backbone
    if spec.attention not in ATTENTIONS.names():
        raise unknown_name("attention", spec.attention, [NO_ATTENTION, *ATTENTIONS.names()])
    attention = ATTENTIONS.get(spec.attention)(n_features=backbone.n_features)
    return AttendedBackbone(backbone, attention)


def _build_head(spec: ModelSpec, n_features: int) -> GaussianHead | MixtureHead | PointHead:
    sizes = {"embedding_size": spec.embedding_size, "kernel_size": spec.head_kernel}
    match spec.head:
        case "gaussian" if spec.n_gaussians > 1:
            return MixtureHead(n_features, n_gaussians=spec.n_gaussians, **sizes)
        case "gaussian":
            return GaussianHead(n_features, **sizes)
        case "point" if spec.n_gaussians > 1:
            raise InvalidInputError(
                f"head = 'point' has no Gaussians, got n_gaussians = {spec.n_gaussians}; "
                "set n_gaussians = 1, or head = 'gaussian'"
            )
        case "point":
            return PointHead()
    raise unknown_name("head", spec.head, ["gaussian", "point"])


def _map_size(backbone: Backbone, spec: ModelSpec) -> int:
    """Side of the map that head and classifier see, checked.

    Raises:
        InvalidInputError: If nothing is left of a patch, or no centre where one is needed.
    """
    side = backbone.output_size(spec.patch_size)
    if side < 1:
        raise InvalidInputError(
            f"{spec.backbone} must leave at least one pixel of a patch, of patch_size = "
            f"{spec.patch_size} it leaves none; take a larger patch, or padding = 'same'"
        )
    if side % 2 == 0 and (spec.head == "gaussian" or spec.classifier == "centre"):
        larger = itertools.count(spec.patch_size + 2, 2)
        fitting = next(size for size in larger if backbone.output_size(size) % 2 == 1)
        raise InvalidInputError(
            f"laps and the centre's mean need a map with a centre pixel, of patch_size = "
            f"{spec.patch_size} {spec.backbone} makes {side} x {side}; try patch_size = "
            f"{fitting}, or head = 'point' with classifier = 'pooled'"
        )
    return side


def _build_classifier(spec: ModelSpec, size: int, *, map_size: int) -> nn.Module:
    if spec.classifier_form != "linear" and spec.classifier in CLASSIFIERS:
        return PrototypeClassifier(
            size * map_size**2 if spec.classifier == "map" else size,
            spec.n_classes,
            sees=spec.classifier,
            similarity=spec.classifier_form,
            dropout=spec.dropout,
        )
    match spec.classifier:
        case "centre":
            return CentreClassifier(size, spec.n_classes)
        case "map":
            return MapClassifier(size, spec.n_classes, patch_size=map_size)
        case "pooled":
            return PooledClassifier(size, spec.n_classes, dropout=spec.dropout)
    raise unknown_name("classifier", spec.classifier, CLASSIFIERS)


def n_parameters(model: nn.Module, *, norms: bool = True) -> int:
    """Number of trained values, with or without those of the normalisation layers."""
    kinds = NormRelu | nn.BatchNorm2d
    modules = [m for m in model.modules() if norms or not isinstance(m, kinds)]
    return sum(p.numel() for m in modules for p in m.parameters(recurse=False))
