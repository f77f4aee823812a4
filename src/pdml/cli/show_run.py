"""A run on the terminal: what it is about, how it gets on, what came of it."""

from __future__ import annotations

from pdml.cli.console import say
from pdml.cli.guard import command_line
from pdml.cli.progress import show_progress
from pdml.cli.scene_text import band_remarks
from pdml.cli.scores_text import scores_in_words
from pdml.evaluation.metrics import Metrics
from pdml.evaluation.report_text import epoch_sentence, leakage_sentence, warnings
from pdml.experiments.plan import Plan, RunRequest
from pdml.experiments.resume import plan_in_folder
from pdml.experiments.run import RunOptions, run
from pdml.experiments.run_folder import RunFolder
from pdml.experiments.run_metrics import leakage_record
from pdml.optional import require
from pdml.training.history import read_history


def run_and_show(
    request: RunRequest,
    folder: RunFolder,
    *,
    resume: bool = False,
    device: str = "auto",
    tensorboard: bool = False,
) -> Metrics:
    """Runs what was asked for and tells of it.

    Args:
        request: What was asked for.
        folder: Where everything goes.
        resume: Go on with the run in the folder.
        device: Where the network runs.
        tensorboard: Also write the curves for TensorBoard.

    Raises:
        PdmlError: If something does not fit; nothing is written then.
    """
    if tensorboard:  # or its absence would be noticed only after the training
        require("tensorboard", extra="tensorboard")
    plan = plan_in_folder(request, folder, resume=resume)
    _introduce(plan)
    n_before = len(read_history(folder.history)) if resume else 0
    if n_before:
        say(f"Goes on after epoch {n_before} of {plan.recipe.epochs}.")
    with show_progress(n_before=n_before) as listener:
        metrics = run(
            plan.subject,
            plan.split,
            plan.recipe,
            folder,
            options=RunOptions(
                seed=plan.seed,
                resume=resume,
                device=device,
                tensorboard=tensorboard,
                command=plan.command or command_line(),
                method=plan.method,
            ),
            listener=listener,
        )
    say()
    say(scores_in_words(metrics))
    chosen = epoch_sentence(metrics, plan.recipe.to_dict())
    if chosen:
        say(chosen)
    return metrics


def _introduce(plan: Plan) -> None:
    scene, split = plan.subject.scene, plan.split
    n_rows, n_cols, n_bands = scene.shape
    say(f"{scene.name}: {n_rows} x {n_cols} pixels, {n_bands} bands, {split.n_classes} classes.")
    for note in band_remarks(scene):
        say(note)
    for note in plan.subject.labels.notes if plan.subject.labels else ():
        say(note)
    say(
        f"{split.how.get('strategy', 'given')} split, seed {plan.seed}: {len(split.train)} pixels "
        f"train, {len(split.validation)} validate, {len(split.test)} test."
    )
    if why := split.how.get("why"):
        say(why)
    if len(split.test):
        say(leakage_sentence(leakage_record(split, plan.recipe.patch_size)))
    for warning in warnings(_about(plan), plan.recipe.to_dict()):
        say(warning)
    untested = split.how.get("absent_from_test")
    if untested:
        say(f"Classes without a test pixel, which no score counts: {', '.join(untested)}.")


def _about(plan: Plan) -> Metrics:
    about = plan.subject.scene.about
    return {
        "dataset": plan.subject.dataset,
        "twin": bool(about.get("twin")),
        "synthetic": bool(about.get("synthetic")),
    }


def show_files(folder: RunFolder) -> None:
    """Says where report and pictures of a run are."""
    say(f"Report:   {folder.report}")
    say(f"Pictures: {', '.join(path.name for path in folder.pictures().values())}")
    say(f"Folder:   {folder.path}")
