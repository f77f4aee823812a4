"""Where a run takes place, and in which number format."""

from __future__ import annotations

from lightning_fabric import Fabric

from pdml.training.fabric import make_fabric
from pdml.training.precision import resolve_precision
from pdml.training.recipe import Recipe


def on_device(recipe: Recipe, device: str) -> tuple[Recipe, Fabric]:
    """The recipe with its precision decided, and Fabric for it."""
    chosen = make_fabric(device, "32").device
    precision = resolve_precision(recipe.precision, chosen)
    return recipe.changed({"precision": precision}), make_fabric(device, precision)
