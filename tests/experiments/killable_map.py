"""A mapping that is done in a process of its own, so that it can be killed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from pdml.embeddings.model import Model, ModelSpec
from pdml.experiments.listener import Listener
from pdml.experiments.map_options import MapOptions
from pdml.experiments.map_run import write_map
from pdml.experiments.subject import Subject, open_subject
from pdml.inference.bundle import Bundle
from pdml.patches.normalise import Standardiser
from pdml.scenes.georeference import Georeference
from pdml.scenes.scene import Scene

N_BANDS = 20
OPTIONS = MapOptions(tile_pixels=12, min_probability=0.5, device="cpu")


def tiny_bundle(*, n_bands: int = N_BANDS, seed: int = 0) -> Bundle:
    """A model that nobody has trained."""
    torch.manual_seed(seed)
    options = {"n_kernels": 4, "n_spectral_features": 8}
    model = Model(
        ModelSpec(n_bands, 3, patch_size=3, backbone_options=options, embedding_size=6)
    ).eval()
    standardiser = Standardiser(np.zeros(n_bands), np.ones(n_bands), "scene")
    return Bundle(model, standardiser, "zero", ("oats", "corn", "woods"), (), {})


def write_scene(folder: Path, name: str = "field", *, seed: int = 0) -> Path:
    """A scene of 37 x 41 pixels, which are 16 tiles."""
    path = folder / f"{name}.npy"
    np.save(path, np.random.default_rng(seed).normal(size=(37, 41, N_BANDS)).astype(np.float32))
    return path


def subject_of(path: Path) -> Subject:
    """The scene, with a place on earth."""
    subject = open_subject(str(path), nodata=-9999.0)
    place = Georeference((2.0, 0.0, 500_000.1, 0.0, -2.0, 4_649_776.3))
    opened = subject.scene
    scene = Scene(opened.source, name=opened.name, nodata=opened.nodata, georeference=place)
    return Subject(scene, None, None, None, None, None, subject.origin)


def make_map(scene: Path, out: Path, listener: Listener | None = None) -> None:
    """Maps the scene, or goes on with it."""
    torch.set_num_threads(1)
    write_map(tiny_bundle(), subject_of(scene), out, options=OPTIONS, listener=listener)
