"""How a split was asked for: by strategy and options, by two label maps, or as a stored file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pdml.errors import InvalidInputError
from pdml.experiments.subject import Subject, require_labels
from pdml.experiments.usual_split import usual_split
from pdml.scenes.labels import LabelMap
from pdml.scenes.open import NAMED_SUFFIXES, open_labels
from pdml.splits.checks import require_scene
from pdml.splits.split import Split
from pdml.splits.store import load_split
from pdml.splits.strategies import make_split


@dataclass(frozen=True)
class SplitRequest:
    """What was said about the split; None and empty mean that nothing was.

    Attributes:
        strategy: Name of a strategy; the usual one for the scene when None.
        options: Options of the strategy by the names of its arguments.
        file: A stored split.
        train_labels: File with the published training pixels.
        test_labels: File with the published test pixels.
        train_labels_key: Name of the training map inside its file.
        test_labels_key: Name of the test map inside its file.
    """

    strategy: str | None = None
    options: Mapping[str, float | int | None] = field(default_factory=dict)
    file: str | None = None
    train_labels: str | None = None
    test_labels: str | None = None
    train_labels_key: str | None = None
    test_labels_key: str | None = None

    @property
    def given(self) -> dict[str, float | int]:
        """The options that have a value."""
        return {name: value for name, value in self.options.items() if value is not None}

    @property
    def says_something(self) -> bool:
        """Whether any of it was given."""
        return bool(
            self.strategy or self.given or self.file or self.train_labels or self.test_labels
        )

    def chosen_strategy(self, subject: Subject) -> tuple[str, str]:
        """The strategy, or the usual one for the scene with why it was taken."""
        if self.strategy is not None:
            return self.strategy, ""
        if self.train_labels or self.test_labels:
            return "published", ""
        return usual_split(subject, self.given)


def requested_split(
    request: SplitRequest, subject: Subject, *, patch_size: int, seed: int
) -> Split:
    """Makes or reads the split that was asked for.

    Args:
        request: What was asked for.
        subject: The scene with its labels.
        patch_size: Side of the patches that a split in blocks keeps apart.
        seed: Of the draw.

    Raises:
        PdmlError: If the request contradicts itself or does not fit the scene.
    """
    split = _stored(request) if request.file else _made(request, subject, patch_size, seed)
    require_scene(split, subject.scene.shape[:2])
    labels = subject.labels
    if labels is not None and labels.class_names != split.class_names:
        raise InvalidInputError(
            "split and labels must have the same classes, the split has "
            f"{', '.join(split.class_names)}; the labels have {', '.join(labels.class_names)}; "
            "leave out --labels, or give labels of the same classes"
        )
    return split


def _stored(request: SplitRequest) -> Split:
    others = [*request.given, *filter(None, (request.strategy, request.train_labels))]
    if others or request.test_labels:
        raise InvalidInputError(
            "a split file says everything about the split, got other options of the split with "
            "it; give --split-file alone, or leave it out"
        )
    return load_split(str(request.file))


def _made(request: SplitRequest, subject: Subject, patch_size: int, seed: int) -> Split:
    strategy, why = request.chosen_strategy(subject)
    split = _by_strategy(request, subject, strategy, patch_size=patch_size, seed=seed)
    return replace(split, how={**split.how, "why": why}) if why else split


def _by_strategy(
    request: SplitRequest, subject: Subject, strategy: str, *, patch_size: int, seed: int
) -> Split:
    options = {**request.given, "seed": seed}
    if strategy == "published":
        train, test = _published(request, subject)
        return make_split(train, strategy, test_labels=test, options=options)
    if request.train_labels or request.test_labels:
        raise InvalidInputError(
            "training and test labels belong to the split 'published', got them with "
            f"'{strategy}'; leave them out, or say --split published"
        )
    if strategy == "blocks":
        options["patch_size"] = patch_size
    return make_split(require_labels(subject), strategy, options=options)


def _published(request: SplitRequest, subject: Subject) -> tuple[LabelMap, LabelMap]:
    files = request.train_labels, request.test_labels
    if files == (None, None) and subject.train is not None and subject.test is not None:
        return subject.train, subject.test
    if files[0] is None or files[1] is None:
        raise InvalidInputError(
            "the split 'published' needs training and test labels, and "
            f"'{subject.scene.name}' comes with none; name them with --train-labels FILE and "
            "--test-labels FILE"
        )
    named = subject.labels if subject.dataset else None
    train = _opened(files[0], request.train_labels_key, subject, named)
    # A file that names its classes may lack some in the test part: they are those of the training.
    follows = Path(files[1]).suffix.lower() in NAMED_SUFFIXES
    named = named or (train if follows else None)
    return train, _opened(files[1], request.test_labels_key, subject, named)


def _opened(file: str, key: str | None, subject: Subject, named: LabelMap | None) -> LabelMap:
    return open_labels(
        file,
        key=key,
        class_names=named.class_names if named else (),
        colours=named.colours if named else (),
        scene=subject.scene,
        class_field=subject.origin["class_field"],
        layer=subject.origin["layer"],
    )
