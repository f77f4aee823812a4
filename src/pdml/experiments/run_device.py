"""Where a run takes place, and in which number format."""

from __future__ import annotations

from lightning_fabric import Fabric

from pdml.training.fabric import make_fabric
from pdml.training.inputs import model_spec
from pdml.training.precision import resolve_precision
from pdml.training.recipe import Recipe


def on_device(
    recipe: Recipe, device: str, *, n_bands: int, n_classes: int
) -> tuple[Recipe, Fabric]:
    """The recipe with its precision decided for a scene, and Fabric for it."""
    chosen = make_fabric(device, "32").device
    spec = model_spec(recipe, n_bands=n_bands, n_classes=n_classes)
    precision = resolve_precision(recipe.precision, chosen, spec, batch_size=recipe.batch_size)
    return recipe.changed({"precision": precision}), make_fabric(device, precision)
