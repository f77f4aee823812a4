"""What must be said with every number: recipe, epochs, seeds, split, leakage, versions, twin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pdml.evaluation.metrics import LeakageRecord
from pdml.evaluation.report_text import counted, percent
from pdml.experiments.render.gathered import Gathered
from pdml.experiments.sweep.seeds import seeds_in_words
from pdml.experiments.sweep.store import Record

SCORES_IN_WORDS = (
    "per cent, mean \N{PLUS-MINUS SIGN} standard deviation over seeds, AA is the mean recall"
)


def caption(
    gathered: Gathered, *, with_quoted: bool, numbers: str = SCORES_IN_WORDS
) -> tuple[str, ...]:
    """Sentences below a table.

    Args:
        gathered: The sweep.
        with_quoted: Whether the table shows the paper's numbers too.
        numbers: What our numbers are.
    """
    sentences = [*_warning(gathered), _ours(gathered, numbers)]
    if gathered.records:
        sentences += [*_split(gathered), *_versions(gathered)]
    if any(runs.best_on_test() for runs in gathered.runs):
        sentences.append(
            "OA, AA and \N{GREEK SMALL LETTER KAPPA} are those of the best epoch on validation "
            "pixels. 'Best on test' is the paper's reading for this scene: the best OA on test "
            "pixels of any epoch, which the test pixels chose."
        )
    if with_quoted:
        sentences.append(
            f"'Paper' and 'quoted' mean numbers of the paper ({gathered.quoted.label}), not "
            "measured here. The difference is our mean OA less the paper's, in the paper's "
            "standard deviations."
        )
    return tuple(sentences)


def how_in_words(gathered: Gathered, numbers: str) -> tuple[str, ...]:
    """Sentences below a table whose splits stand in a table of their own."""
    return (*_warning(gathered), _ours(gathered, numbers), *_versions(gathered))


def short_caption(gathered: Gathered) -> str:
    """One line for a figure."""
    warning = "TWIN, not the real scene: " if gathered.twin else ""
    title = gathered.experiment.title
    return f"{warning}{gathered.scene_title}, {title} ({_briefly(gathered)})"


def _ours(gathered: Gathered, numbers: str) -> str:
    return f"Ours: {_recipe(gathered)}, {_seeds(gathered)}; {numbers}."


def _briefly(gathered: Gathered) -> str:
    manifest = gathered.manifest
    epochs = counted(manifest["recipe"]["epochs"], "epoch")
    leaks = [share for runs in gathered.runs for share in runs.leakage().values()]
    shares = sorted({f"{share:.0f}" for share in leaks}, key=int)
    said = f", leakage {' to '.join(dict.fromkeys((shares[0], shares[-1])))} %" if shares else ""
    return f"{manifest['recipe_name']}, {epochs}, {_seeds(gathered)}{said}"


def _warning(gathered: Gathered) -> list[str]:
    if gathered.twin:
        return [
            f"TWIN: {gathered.scene_title} was computed, not measured; its scores cannot be "
            "compared with published ones."
        ]
    if gathered.manifest["dataset"] == "synthetic":
        return ["The scene is synthetic; its scores say nothing about a real sensor."]
    return []


def _recipe(gathered: Gathered) -> str:
    manifest = gathered.manifest
    changed = {key: text for key, text in manifest["settings"].items() if key != "epochs"}
    own = (
        f" with {', '.join(f'{key} = {text}' for key, text in changed.items())}" if changed else ""
    )
    return f"recipe {manifest['recipe_name']}{own}, {_epochs(gathered)}"


def _epochs(gathered: Gathered) -> str:
    epochs, own = gathered.manifest["recipe"]["epochs"], gathered.manifest["recipe_epochs"]
    text = counted(epochs, "epoch")
    return text if epochs == own else f"{text} (not the {own} of the recipe)"


def _seeds(gathered: Gathered) -> str:
    seeds = tuple({seed for runs in gathered.runs for seed in runs.seeds})
    if not seeds:
        return "no run finished yet"
    return f"{'seed' if len(seeds) == 1 else 'seeds'} {seeds_in_words(seeds)}"


def _split(gathered: Gathered) -> list[str]:
    """The split of each group of runs that share one."""
    sentences = []
    for how, records in _by_split(gathered.records).items():
        counts = {part: sum(of) for part, of in records[0]["counts"].items()}
        sentences.append(
            f"{how}: {counts['train']} pixels train, {counts['validation']} validate, "
            f"{counts['test']} test."
        )
        for key, part in (("leakage", "test"), ("validation_leakage", "validation")):
            found = [record[key] for record in records if key in record]
            sentences += [_leakage(found, part)] if found else []
    return sentences


def _leakage(records: Sequence[LeakageRecord], part: str) -> str:
    """How near training pixels are to the pixels of another part, for each patch size."""
    said = []
    for size in sorted({record["patch_size"] for record in records}):
        of_size = [record for record in records if record["patch_size"] == size]
        own = float(np.mean([one["own_patch_share"] for one in of_size]))
        overlap = float(np.mean([one["overlap_share"] for one in of_size]))
        said.append(
            f"{percent(own, digits=1)} of the {part} pixels have a training pixel inside their own "
            f"{size} \N{MULTIPLICATION SIGN} {size} patch, {percent(overlap, digits=1)} overlap a "
            "training patch"
        )
    return f"Leakage: {'; '.join(said)}."


def split_in_words(split: Mapping[str, Any]) -> str:
    """The strategy with its options."""
    options = {name: value for name, value in split.items() if name != "strategy"}
    said = ", ".join(
        f"{name} {value:g}" if isinstance(value, int | float) else f"{name} {value}"
        for name, value in options.items()
    )
    return f"{split['strategy']} ({said})"


def _by_split(records: Sequence[Record]) -> dict[str, list[Record]]:
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(f"Split {split_in_words(record['split'])}", []).append(record)
    return groups


def _versions(gathered: Gathered) -> list[str]:
    used = sorted({(r["versions"]["pdml"], r["versions"]["torch"]) for r in gathered.records})
    return [" and ".join(f"pdml {own}, torch {torch}" for own, torch in used) + "."]
