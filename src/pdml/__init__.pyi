# The names that `pdml` imports when they are first used, for type checkers.

from __future__ import annotations

from pdml.datasets.card import dataset_names as dataset_names
from pdml.datasets.load import load_dataset as load_dataset
from pdml.datasets.synthetic import synthetic_scene as synthetic_scene
from pdml.errors import PdmlError as PdmlError
from pdml.estimator import SceneClassifier as SceneClassifier
from pdml.estimator import SpectralClassifier as SpectralClassifier
from pdml.evaluation.maps import overview_picture as overview_picture
from pdml.evaluation.picture import save_picture as save_picture
from pdml.evaluation.score_map import score_map as score_map
from pdml.evaluation.scores import score as score
from pdml.inference.bundle import Bundle as Bundle
from pdml.inference.bundle import load_bundle as load_bundle
from pdml.inference.bundle import make_bundle as make_bundle
from pdml.inference.bundle import save_bundle as save_bundle
from pdml.inference.class_map import ClassMap as ClassMap
from pdml.inference.mapper import map_scene as map_scene
from pdml.inference.stored_map import load_class_map as load_class_map
from pdml.inference.stored_map import save_class_map as save_class_map
from pdml.patches.fitted_features import FittedFeatures as FittedFeatures
from pdml.patches.fitted_features import fit_features as fit_features
from pdml.patches.normalise import fit_standardiser as fit_standardiser
from pdml.patches.source import PatchSource as PatchSource
from pdml.scenes.labels import LabelMap as LabelMap
from pdml.scenes.open import open_labels as open_labels
from pdml.scenes.open import open_scene as open_scene
from pdml.scenes.scene import Scene as Scene
from pdml.splits.blocks import split_blocks as split_blocks
from pdml.splits.leakage import leakage as leakage
from pdml.splits.per_class import split_per_class as split_per_class
from pdml.splits.polygons import split_polygons as split_polygons
from pdml.splits.published import split_published as split_published
from pdml.splits.random import split_random as split_random
from pdml.splits.split import Split as Split
from pdml.training.inputs import patch_source as patch_source
from pdml.training.loop import train as train
from pdml.training.recipe import Recipe as Recipe
from pdml.training.recipe import load_recipe as load_recipe
from pdml.training.recipe import recipe_names as recipe_names

__all__: list[str]
__version__: str
