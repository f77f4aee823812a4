"""Where a run takes place, and in which number format."""

from __future__ import annotations

from lightning_fabric import Fabric

from pdml.training.fabric import make_fabric
from pdml.training.inputs import model_spec
from pdml.training.precision import resolve_precision
from pdml.training.recipe import NETWORK, Recipe


def fitting_device(device: str, *, in_double: bool) -> str:
    """The device that was asked for; of itself nothing in double precision leaves the CPU.

    Not every accelerator has double precision.
    """
    return "cpu" if in_double and device == "auto" else device


def on_device(
    recipe: Recipe, device: str, *, n_bands: int, n_classes: int
) -> tuple[Recipe, Fabric]:
    """The recipe with its precision decided for a scene, and Fabric for it."""
    if recipe.learner != NETWORK:
        device = fitting_device(device, in_double=True)
        return recipe.changed({"precision": "32"}), make_fabric(device, "32")
    chosen = make_fabric(device, "32").device
    spec = model_spec(recipe, n_bands=n_bands, n_classes=n_classes)
    precision = resolve_precision(recipe.precision, chosen, spec, batch_size=recipe.batch_size)
    return recipe.changed({"precision": precision}), make_fabric(device, precision)
