"""What each ingredient of a recipe is worth, one change at a time, by validation pixels alone."""

from __future__ import annotations

from pdml.experiments.experiment import EXPERIMENTS, Experiment, Variant
from pdml.experiments.search import BASE, changed_by

# As `--set` takes them. Those that the recipe has already are left out of a search.
_PATCHES = (
    "patch_size=3", "patch_size=7", "patch_size=9", "border=zero", "border=reflect",
    "fit_on=scene", "fit_on=train", "n_components=0", "n_components=30", "flips=false",
    "flips=true", "spectral_noise=0.0", "spectral_noise=0.02", "spectral_noise=0.1",
    "band_dropout=0.0", "band_dropout=0.1", "band_dropout=0.3", "band_stretch=0.0",
    "band_stretch=0.1", "band_stretch=0.3", "illumination=0.0", "illumination=0.05",
    "illumination=0.15", "shading=0.0", "shading=0.05", "tilt=0.0", "tilt=0.05",
    "smooth_noise=0.0", "smooth_noise=0.1", "same_class_mixing=0.0", "same_class_mixing=0.3",
    "same_class_mixing=0.5", "mixup=0.0", "mixup=0.1", "mixup=0.3", "border_mixing=0.0",
    "border_mixing=0.25", "border_mixing=0.5", "neighbour_dropout=0.0", "neighbour_dropout=0.2",
    "neighbour_dropout=0.5", "known_neighbours=as_centre", "known_neighbours=left_out",
    "known_neighbours=own_class", "known_neighbours=hidden",
)  # fmt: skip
_NETWORK = (
    "attention=none", "attention=se", "attention=cbam", "attention=spatial", "n_gaussians=1",
    "n_gaussians=2", "embedding_size=16", "embedding_size=32", "embedding_size=64",
    "embedding_size=128", "head_kernel=1", "head_kernel=3", "classifier=centre", "classifier=map",
    "classifier=pooled", "classifier_form=linear", "classifier_form=cosine",
    "classifier_form=distance", "classifier_form=class_mean", "feature_dropout=0.0",
    "feature_dropout=0.1", "feature_dropout=0.3", "average_symmetries=false",
    "average_symmetries=true", "surroundings=none", "surroundings=auto",
)  # fmt: skip
_OBJECTIVE = (
    "lambda_variance=0.0", "lambda_variance=0.1", "lambda_variance=1.0", "lambda_pairs=0.0",
    "lambda_pairs=0.3", "lambda_pairs=1.0", "lambda_pairs=3.0", "n_samples=1", "n_samples=3",
    "n_samples=5", "alpha=0.05", "alpha=0.2", "alpha=0.5", "lap_form=hinge", "lap_form=log",
    "lap_form=paper", "reduction=mean", "reduction=paper", "embed_with=mean",
    "embed_with=samples", "label_smoothing=0.0", "label_smoothing=0.05", "label_smoothing=0.1",
    "class_balance=0.0", "class_balance=0.5", "class_balance=1.0", "lambda_consistency=0.0",
    "lambda_consistency=1.0", "lambda_consistency=10.0", "lambda_kl=0.0", "lambda_kl=0.0001",
    "classify_samples=0", "classify_samples=3",
)  # fmt: skip
_TRAINING = (
    "epochs=20", "epochs=40", "epochs=80", "batch_size=16", "batch_size=32", "batch_size=64",
    "batch_size=128", "per_class=0", "per_class=2", "per_class=4", "per_class=8",
    "optimiser=rmsprop,learning_rate=0.0005", "optimiser=sgd,learning_rate=0.05",
    "learning_rate=0.001", "learning_rate=0.002", "learning_rate=0.004", "schedule=constant",
    "schedule=one_cycle", "schedule=cosine", "warm_up=0.0", "warm_up=0.05", "weight_decay=0.0",
    "weight_decay=0.01", "weight_decay=0.05", "kernel_l2=0.0", "kernel_l2=0.0001",
    "gradient_clip=0.0", "gradient_clip=1.0", "averaging=0.0", "averaging=0.99",
    "averaging=0.998", "averaging=0.9995", "select=last", "precision=32",
)  # fmt: skip


@EXPERIMENTS.register
def recipe() -> Experiment:
    """The declaration."""
    changes = (*_PATCHES, *_NETWORK, *_OBJECTIVE, *_TRAINING)
    return Experiment(
        name="recipe",
        title="what one change to the recipe does",
        source="",
        variants=(Variant(BASE), *map(changed_by, changes)),
        shows="search",
        recipe="default",
        judged_by="validation",
    )
