"""Whether a recipe describes a network and a loss, or a classifier, that can be built."""

from __future__ import annotations

import torch

from pdml.baselines.learn import learner_options
from pdml.embeddings.model import Model, ModelSpec
from pdml.errors import InvalidInputError, PdmlError
from pdml.training.recipe import NETWORK, Recipe
from pdml.training.state import build_objective


def require_buildable(spec: ModelSpec, recipe: Recipe) -> None:
    """Builds network and loss once, without weights; or looks at the options of a classifier.

    Raises:
        PdmlError: If one of them cannot be built.
    """
    if recipe.learner != NETWORK:
        learner_options(recipe)
        return
    try:
        with torch.device("meta"):  # takes no memory and draws no random number
            model = Model(spec)
            build_objective(recipe, n_features=model.embedding_size, n_classes=spec.n_classes)
            _require_pixels(model.map_size, recipe)
    except PdmlError:
        raise
    except (TypeError, ValueError, RuntimeError) as error:
        raise InvalidInputError(
            f"the recipe must describe a network that can be built, got: {error}; "
            "look at backbone_options and metric_options"
        ) from error


def _require_pixels(map_size: int, recipe: Recipe) -> None:
    """Classes of single pixels need a map in which each pixel of the patch still has its place."""
    wants = recipe.known_neighbours != "as_centre" or recipe.border_mixing > 0
    if wants and map_size != recipe.patch_size:
        raise InvalidInputError(
            f"known_neighbours and border_mixing need a network that keeps the size of a patch, "
            f"{recipe.backbone} makes {map_size} x {map_size} of {recipe.patch_size} x "
            f"{recipe.patch_size}; choose ssrn, or known_neighbours = 'as_centre' and "
            "border_mixing = 0"
        )
