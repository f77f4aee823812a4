"""Mapping a scene with the model of a run into a file: planned, by tiles, written at the end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import torch

from pdml.allocator import keep_freed_memory
from pdml.evaluation.colours import class_colours
from pdml.experiments.listener import Listener
from pdml.experiments.map_files import KEEP_PROBABILITY, require_packages, require_room, write_files
from pdml.experiments.map_job import map_job
from pdml.experiments.map_journal import Journal
from pdml.experiments.map_options import MapOptions
from pdml.experiments.map_output import format_of, require_free
from pdml.experiments.map_remarks import map_remarks
from pdml.experiments.map_unknown import unknown_in_words, unknown_threshold
from pdml.experiments.run_device import fitting_device
from pdml.experiments.subject import Subject
from pdml.inference.bundle import Bundle
from pdml.inference.categories import Categories
from pdml.inference.footprint import footprint_of
from pdml.inference.layers import layer_type, layers_of
from pdml.inference.mapper import empty_map, map_tiles, require_scores
from pdml.inference.memory import default_memory
from pdml.inference.partial_map import Job, PartialMap, partial_folder
from pdml.inference.plan import choose_tile_shape, plan_tiles
from pdml.inference.whole_features import left_beside_features
from pdml.scenes.band_choice import nearest_left
from pdml.scenes.check import check_values
from pdml.scenes.scene import Scene
from pdml.training.fabric import make_fabric
from pdml.training.precision import resolve_precision


@dataclass(frozen=True)
class _Task:
    """A mapping with everything decided."""

    bundle: Bundle
    subject: Subject
    out: Path
    options: MapOptions
    device: torch.device
    precision: str
    unknown_above: float | None
    categories: Categories
    partial: PartialMap
    listener: Listener


def write_map(
    bundle: Bundle,
    subject: Subject,
    out: Path,
    *,
    options: MapOptions | None = None,
    listener: Listener | None = None,
    journal: Journal | None = None,
) -> None:
    """Maps a scene and writes the map as its name's suffix says.

    Tiles are kept beside the map until it is complete, and the same call goes on with them if it
    was interrupted. The result is the same to the last bit.

    Args:
        bundle: The model.
        subject: The scene.
        out: A file that ends in one of the suffixes of `map_output`.
        options: How to map.
        listener: Who is told of progress.
        journal: Maps that the same call has finished before it was interrupted.

    Raises:
        PdmlError: If the scene does not fit the model or holds NaN, or something cannot be written;
            nothing is there under the name then.
    """
    options = options or MapOptions()
    kind = format_of(out, None)
    options.require_sound(kind)
    require_packages(kind)
    options.require_possible(bundle.model)
    subject = fitted(bundle, subject)
    require_scores(bundle, options.wanted_scores)
    task = _decide(bundle, subject, out, options, listener or Listener())
    job = _job(task)
    if journal and journal.holds(out, job) and not task.partial.folder.exists():
        task.listener.note(f"{out.name} is finished already")
        return
    _begin_or_go_on(task, job)
    if not task.partial.is_complete:
        keep_freed_memory()
        _map_missing_tiles(task)
        task.listener.stage("write")
        place = task.partial.begin_writing() / out.name
        write_files(
            place,
            task.partial,
            subject,
            task.categories,
            options,
            unknown_above=task.unknown_above,
        )
        task.partial.end_writing()
    if options.false_alarm is not None:
        found = unknown_in_words(task.partial, task.categories, options.false_alarm)
        task.listener.note(found)
    if journal:
        journal.add(out, job)
    task.partial.move_result(out)


def fitted(bundle: Bundle, subject: Subject) -> Subject:
    """A subject whose scene has the bands of a model.

    Raises:
        InvalidInputError: If it has not those bands, or is smaller than a patch.
    """
    scene = bundle.fitted(subject.scene)
    if scene is subject.scene:
        return subject
    customary = subject.rgb_bands if subject.scene.chosen is None else None
    return replace(subject, scene=scene, rgb_bands=nearest_left(customary, scene.chosen))


def _decide(
    bundle: Bundle, subject: Subject, out: Path, options: MapOptions, listener: Listener
) -> _Task:
    """Device, tiles and layers, or why it cannot be done."""
    device = make_fabric(
        fitting_device(options.device, in_double=bundle.model.in_double), "32"
    ).device
    bundle.model.to(device)
    spec, shape, kind = bundle.model.spec, subject.scene.shape[:2], format_of(out, None)
    memory_bytes = options.memory_bytes or default_memory()
    require_room(kind, shape, n_classes=spec.n_classes, memory_bytes=memory_bytes)
    left_bytes = left_beside_features(bundle.features, shape, memory_bytes=memory_bytes)
    if options.tile_pixels is None:
        footprint = footprint_of(bundle.model, listens=bundle.uncertainty.reach > 0)
        tile_shape = choose_tile_shape(
            shape, footprint, halo=bundle.halo_pixels, memory_bytes=left_bytes
        )
    else:
        tile_shape = options.tile_pixels, options.tile_pixels
    tiles = plan_tiles(shape, halo=bundle.halo_pixels, tile_shape=tile_shape)
    names = bundle.class_names
    colours = class_colours(len(names), bundle.colours)
    unknown_above = unknown_threshold(bundle, options)
    categories = Categories(
        names,
        colours,
        rejects=options.min_probability > 0,
        finds_unknown=unknown_above is not None,
    )
    dtype = layer_type(
        categories.dtype,
        n_classes=len(names),
        has_variance=bundle.model.has_variance,
        has_probability=bundle.model.has_probability,
        keeps_probability=kind in KEEP_PROBABILITY,
        scores=list(empty_map(bundle, (0, 0), options.wanted_scores).scores),
    )
    precision = resolve_precision(options.precision, device, spec)
    partial = PartialMap(partial_folder(out), tiles, dtype)
    return _Task(
        bundle,
        subject,
        out,
        options,
        device,
        precision,
        unknown_above,
        categories,
        partial,
        listener,
    )


def _job(task: _Task) -> Job:
    return map_job(
        task.bundle,
        task.subject,
        format=format_of(task.out, None),
        device=task.device.type,
        precision=task.precision,
        min_probability=task.options.min_probability,
        false_alarm=task.options.false_alarm,
        scores=sorted(task.options.wanted_scores),
        cog=task.options.cog,
        tile=task.partial.tiles[0].target.shape,
    )


def _begin_or_go_on(task: _Task, job: Job) -> None:
    """Takes up what an interrupted call of the same job left, or checks the scene and begins."""
    partial, options = task.partial, task.options
    differing = partial.differences(job)
    if differing == []:
        return
    require_free(task.out, overwrite=options.overwrite, going_on=False)
    if differing:
        task.listener.note(
            f"{task.out.name} was begun with another {' and '.join(differing)}; starting anew"
        )
    if _may_be_broken(task.subject.scene):
        task.listener.stage("check the scene")
        check_values(task.subject.scene, allow_constant=True)
    for remark in map_remarks(task.bundle, task.subject.scene):
        task.listener.note(remark)
    partial.begin(job)


def _may_be_broken(scene: Scene) -> bool:
    """Whether there can be NaN, or no measured pixel; else there is no need to read it all."""
    return scene.source.dtype.kind == "f" or scene.nodata is not None


def _map_missing_tiles(task: _Task) -> None:
    partial, listener = task.partial, task.listener
    missing = [number for number in range(len(partial.tiles)) if not partial.is_done(number)]
    n_pixels = partial.shape[0] * partial.shape[1]
    n_missing = sum(_area(partial, number) for number in missing)
    if len(missing) < len(partial.tiles):
        n_done = len(partial.tiles) - len(missing)
        listener.note(f"going on after {n_done} of {len(partial.tiles)} tiles")
    listener.stage("map")
    listener.mapped(n_pixels - n_missing, n_pixels)

    def within(n_done: int) -> None:
        listener.mapped(n_pixels - n_missing + n_done, n_pixels)

    parts = map_tiles(
        task.bundle,
        task.subject.scene,
        [partial.tiles[number] for number in missing],
        device=task.device,
        precision=task.precision,
        scores=task.options.wanted_scores,
        on_pixels=within,
    )
    for number, (_, part) in zip(missing, parts, strict=True):
        shown = replace(
            part,
            min_probability=task.options.min_probability,
            unknown_above=task.unknown_above,
        )
        partial.save(number, layers_of(shown, partial.dtype))
        n_missing -= _area(partial, number)
        listener.mapped(n_pixels - n_missing, n_pixels)


def _area(partial: PartialMap, number: int) -> int:
    n_rows, n_cols = partial.tiles[number].target.shape
    return n_rows * n_cols
