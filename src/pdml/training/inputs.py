"""What a recipe says of the network and of the patches that it is trained on."""

from __future__ import annotations

import torch

from pdml.embeddings.model import ModelSpec
from pdml.patches.components import require_components, with_components
from pdml.patches.normalise import fit_standardiser
from pdml.patches.source import PatchSource
from pdml.scenes.scene import Scene
from pdml.splits.split import Split
from pdml.training.recipe import Recipe


def patch_source(
    scene: Scene, split: Split, recipe: Recipe, *, device: torch.device | str = "cpu"
) -> PatchSource:
    """The scene's patches, standardised and bordered as the recipe says."""
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
    )


def model_spec(recipe: Recipe, *, n_bands: int, n_classes: int) -> ModelSpec:
    """The network that a recipe describes, for a scene with so many bands."""
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
