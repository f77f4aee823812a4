"""Training steps to be measured: PDML, the network alone, and PDML as one would first write it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from pdml.benchmarks.naive_pair_loss import naive_pair_loss
from pdml.benchmarks.plain_ssrn import PlainSsrn
from pdml.datasets.synthetic import synthetic_scene
from pdml.embeddings.backbones.ssrn import Ssrn
from pdml.embeddings.gaussian import GaussianEmbedding
from pdml.embeddings.model import Model, ModelSpec
from pdml.errors import InvalidInputError
from pdml.losses.metric_loss import MetricLoss
from pdml.patches.normalise import fit_standardiser
from pdml.patches.source import PatchSource
from pdml.training.batch import Batch
from pdml.training.fabric import make_fabric
from pdml.training.inputs import model_spec
from pdml.training.loop import TrainingStep
from pdml.training.optimiser import build_optimiser
from pdml.training.recipe import Recipe, load_recipe
from pdml.training.state import build_objective, new_state

N_CLASSES = 16
PAIR_PRODUCTS = 3
"""Matrix products over all pairs in the loss: one forward, two in the gradient."""

PLAIN_NETWORK = {
    "head": "point",
    "classifier": "pooled",
    "lambda_variance": 0.0,
    "lambda_pairs": 0.0,
}


@dataclass(frozen=True)
class Inputs:
    """A scene of the size of Indian Pines and one batch of its pixels."""

    source: PatchSource
    indices: Int[Tensor, " n"]
    labels: Int[Tensor, " n"]


def make_inputs(batch_size: int, *, n_bands: int = 200) -> Inputs:
    """Random pixels of a synthetic scene; speed does not depend on what they show."""
    scene, _ = synthetic_scene(145, 145, n_bands=n_bands, n_classes=N_CLASSES, seed=0)
    generator = torch.Generator().manual_seed(0)
    return Inputs(
        PatchSource(scene, fit_standardiser(scene), patch_size=5),
        torch.randint(145 * 145, (batch_size,), generator=generator),
        torch.randint(N_CLASSES, (batch_size,), generator=generator),
    )


def paper_recipe(*, plain_network: bool = False) -> Recipe:
    """The paper's recipe, or the same for the network alone."""
    recipe = load_recipe("paper")
    return recipe.changed(PLAIN_NETWORK) if plain_network else recipe


def spec_for(recipe: Recipe, n_bands: int) -> ModelSpec:
    """The network of a recipe for the measured scene."""
    return model_spec(recipe, n_bands=n_bands, n_classes=N_CLASSES)


def fast_step(inputs: Inputs, recipe: Recipe, precision: str) -> Callable[[], None]:
    """One step exactly as the training loop does it."""
    fabric = make_fabric("cpu", precision)
    state = new_state(spec_for(recipe, inputs.source.n_bands), recipe, seed=0, device=fabric.device)
    step, optimiser = fabric.setup(
        TrainingStep(state.model, state.objective), state.optimiser, move_to_device=False
    )

    def work() -> None:
        terms = step(Batch(inputs.source.gather(inputs.indices), inputs.labels), state.noise)
        optimiser.zero_grad()
        fabric.backward(terms[0])
        optimiser.step()

    return work


def plain_step(inputs: Inputs, recipe: Recipe) -> Callable[[], None]:
    """The same step with the `Conv3d` network and the loss that materialises all pairs."""
    torch.manual_seed(0)
    model = PlainModel(Model(spec_for(recipe, inputs.source.n_bands)))
    objective = build_objective(recipe)
    if recipe.lambda_pairs > 0:
        objective.metric = NaiveContrastive()
    optimiser = build_optimiser(model, objective, recipe)
    noise = torch.Generator().manual_seed(0)

    def work() -> None:
        embedding, logits = model(inputs.source.gather(inputs.indices))
        terms = objective(embedding, logits, inputs.labels, generator=noise)
        optimiser.zero_grad()
        terms.total.backward()
        optimiser.step()

    return work


class PlainModel(nn.Module):
    """A model whose SSRN is swapped for its plain counterpart."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        if not isinstance(model.backbone, Ssrn):
            raise InvalidInputError("the plain counterpart exists for the backbone ssrn only")
        self.trunk = PlainSsrn(model.backbone)
        self.head = model.head
        self.classifier = model.classifier

    def forward(
        self, patches: Float[Tensor, "n row col band"]
    ) -> tuple[GaussianEmbedding, Float[Tensor, "n class_"]]:
        """Embedding and logits of a batch of patches."""
        embedding: GaussianEmbedding = self.head(self.trunk(patches))
        return embedding, self.classifier(embedding.mean)


class NaiveContrastive(MetricLoss):
    """The naive pair loss behind the interface of the tiled one."""

    def __init__(self) -> None:
        super().__init__(reduction="paper")
        self.log_a = nn.Parameter(torch.zeros(()))
        self.b = nn.Parameter(torch.zeros(()))

    def forward(
        self, samples: Float[Tensor, "pixel sample feature"], classes: Int[Tensor, " pixel"]
    ) -> Float[Tensor, ""]:
        """Sum over all pairs divided by the number of pixels, as in the paper."""
        return naive_pair_loss(samples, classes, self.log_a.exp(), self.b) / len(samples)


def step_gflop(inputs: Inputs, recipe: Recipe) -> float:
    """Multiplications and additions of the convolutions and products of one step.

    Counted on the plain network, where the framework sees every one of them; pairs count as they
    are computed, each unordered pair once.
    """
    model = PlainModel(Model(spec_for(recipe, inputs.source.n_bands)))
    patches = inputs.source.gather(inputs.indices)
    with FlopCounterMode(display=False) as counter:
        embedding, logits = model(patches)
        outputs = [embedding.mean.sum(), logits.sum()]
        if embedding.log_variance is not None:
            outputs.append(embedding.log_variance.sum())
        torch.autograd.backward(torch.stack(outputs).sum())
    gflop = float(counter.get_total_flops()) / 1e9
    if recipe.lambda_pairs > 0:
        n = len(inputs.indices) * recipe.patch_size**2
        gflop += pair_loss_gflop(n, recipe.n_samples, recipe.embedding_size)
    return gflop


def pair_loss_gflop(n_pixels: int, n_samples: int, size: int) -> float:
    """Work of the pair loss's matrix products, forward and backward, each pair once."""
    n_pairs = (n_pixels * n_samples) ** 2 / 2
    return PAIR_PRODUCTS * 2 * size * n_pairs / 1e9
