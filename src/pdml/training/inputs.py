"""What a recipe says of the network and of the patches that it is trained on."""

from __future__ import annotations

import torch

from pdml.embeddings.model import ModelSpec
from pdml.patches.components import require_components, with_components
from pdml.patches.feature_kind import NO_FEATURES, feature_kind
from pdml.patches.fitted_features import FittedFeatures, fit_features
from pdml.patches.normalise import fit_standardiser
from pdml.patches.source import PatchSource
from pdml.scenes.expected import Expected
from pdml.scenes.scene import Scene
from pdml.splits.split import Split
from pdml.training.recipe import NETWORK, Recipe


def patch_source(
    scene: Scene, split: Split, recipe: Recipe, *, device: torch.device | str = "cpu"
) -> PatchSource:
    """The patches of the scene or of its features, standardised and bordered as the recipe says."""
    expected = Expected.of(scene)  # whoever maps brings bands, not features
    features: FittedFeatures | None = None
    if recipe.features != NO_FEATURES:
        features = fit_features(
            scene,
            recipe.features,
            recipe.feature_options,
            fit_on=recipe.fit_on,
            indices=split.train.indices,
        )
        scene = features.apply(scene)
    standardiser = fit_standardiser(scene, fit_on=recipe.fit_on, indices=split.train.indices)
    if recipe.n_components > 0:
        standardiser = with_components(
            standardiser, scene, n_components=recipe.n_components, indices=split.train.indices
        )
    return PatchSource(
        scene,
        standardiser,
        patch_size=recipe.patch_size,
        border=recipe.border,
        device=device,
        features=features,
        expected=expected,
        double=recipe.learner != NETWORK,
    )


def n_inputs(recipe: Recipe, n_bands: int) -> int:
    """Bands or channels that stand in front of the network, for a scene with so many bands.

    Raises:
        UnknownNameError: If the features or one of their options are unknown.
        InvalidInputError: If an option cannot be, or the scene has too few bands.
        MissingExtraError: If what computes the features is not installed.
    """
    if recipe.features == NO_FEATURES:
        return n_bands
    kind = feature_kind(recipe.features, recipe.feature_options)
    kind.require_packages()
    return kind.n_channels(n_bands)


def model_spec(recipe: Recipe, *, n_bands: int, n_classes: int) -> ModelSpec:
    """The network that a recipe describes, for so many bands, or channels of features."""
    require_components(recipe.n_components, n_bands)
    return ModelSpec(
        n_bands=n_bands,
        n_classes=n_classes,
        n_components=recipe.n_components,
        patch_size=recipe.patch_size,
        backbone=recipe.backbone,
        backbone_options=recipe.backbone_options,
        attention=recipe.attention,
        head=recipe.head,
        n_gaussians=recipe.n_gaussians,
        embedding_size=recipe.embedding_size,
        head_kernel=recipe.head_kernel,
        classifier=recipe.classifier,
        dropout=recipe.dropout,
        classifier_form=recipe.classifier_form,
        feature_dropout=recipe.feature_dropout,
        average_symmetries=recipe.average_symmetries,
    )
