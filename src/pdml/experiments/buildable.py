"""Whether a recipe describes a network and a loss that can be built."""

from __future__ import annotations

import torch

from pdml.embeddings.model import Model, ModelSpec
from pdml.errors import InvalidInputError, PdmlError
from pdml.training.recipe import Recipe
from pdml.training.state import build_objective


def require_buildable(spec: ModelSpec, recipe: Recipe) -> None:
    """Builds network and loss once, without weights.

    Raises:
        PdmlError: If one of them cannot be built.
    """
    try:
        with torch.device("meta"):  # takes no memory and draws no random number
            model = Model(spec)
            build_objective(recipe, n_features=model.embedding_size, n_classes=spec.n_classes)
    except PdmlError:
        raise
    except (TypeError, ValueError, RuntimeError) as error:
        raise InvalidInputError(
            f"the recipe must describe a network that can be built, got: {error}; "
            "look at backbone_options and metric_options"
        ) from error
