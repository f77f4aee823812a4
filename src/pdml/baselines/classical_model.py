"""`ClassicalModel`: a classical classifier where a network could be, for maps and scores."""

from __future__ import annotations

from dataclasses import dataclass, field

from jaxtyping import Float
from torch import Tensor

from pdml.baselines.learner import Learner
from pdml.baselines.method import learner_named
from pdml.embeddings.gaussian import GaussianEmbedding
from pdml.embeddings.patch_model import PatchModel, PatchSpec


@dataclass(frozen=True)
class ClassicalSpec(PatchSpec):
    """Everything that is needed to build a model that holds what was learnt.

    Attributes:
        learner: Name of the method whose classifier it is.
        sizes: What the classifier is built with.
    """

    learner: str = ""
    sizes: dict[str, int] = field(default_factory=dict)


class ClassicalModel(PatchModel):
    """Flattens patches and gives them to a classifier.

    Args:
        spec: What it is built from.
        learner: The classifier that was fitted; an empty one of the same sizes when None.
    """

    spec: ClassicalSpec

    def __init__(self, spec: ClassicalSpec, learner: Learner | None = None) -> None:
        super().__init__()
        self.spec = spec
        self.learner = learner or learner_named(spec.learner)(**spec.sizes)

    @property
    def has_probability(self) -> bool:
        """What the classifier says of itself."""
        return self.learner.has_probability

    @property
    def in_double(self) -> bool:
        """As scikit-learn has them: with rounded values other support vectors are found."""
        return True

    @property
    def n_values(self) -> int:
        """Number of values that are kept."""
        return sum(buffer.numel() for buffer in self.buffers())

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The spectra as they are."""
        return pixels

    def from_spectra(
        self, features: Float[Tensor, "n row col channel"]
    ) -> tuple[GaussianEmbedding, Float[Tensor, "n class_"]]:
        """The patches as they are, and what the classifier says of them."""
        return GaussianEmbedding(features, None), self.learner(features.flatten(1))
