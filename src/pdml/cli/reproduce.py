"""`pdml reproduce`: a table or figure, run by run, with the paper's numbers beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pdml.cli import run_options as of_run
from pdml.cli import sweep_options as of_sweep
from pdml.cli.options import Device
from pdml.errors import InvalidInputError

if TYPE_CHECKING:
    from pdml.experiments.sweep.plan import SweepRequest
    from pdml.experiments.sweep.store import SweepFolder


def reproduce(
    what: of_sweep.What,
    *,
    dataset: of_sweep.Dataset = "indian_pines",
    seeds: of_sweep.Seeds = "0:10",
    out: of_sweep.Out = None,
    recipe: of_sweep.RecipeName = None,
    epochs: of_run.Epochs = None,
    settings: of_run.Settings = None,
    variants: of_sweep.Variants = None,
    methods: of_sweep.Methods = None,
    protocols: of_sweep.Protocols = "common,own",
    split: of_sweep.Split = None,
    final: of_sweep.Final = False,
    jobs: of_sweep.Jobs = 1,
    twin: of_sweep.Twin = False,
    render_only: of_sweep.RenderOnly = False,
    device: Device = "auto",
) -> None:
    """Run a table or figure of the paper, or one of ours, and write it.

    Runs that are finished are not run again, a run that was broken off goes on, and several
    processes may share one folder.

    Example: `pdml reproduce losses --dataset indian_pines --seeds 0:10 --out results/losses`

    Example: `pdml reproduce results --dataset ksc --twin --seeds 0 --epochs 1`

    Example: `pdml reproduce results --methods svm,rf,ssatt --seeds 0:5 --recipe quick`

    Example: `pdml reproduce patches --dataset synthetic --seeds 0:3 --recipe quick --epochs 2`

    Example: `pdml reproduce recipe --seeds 0:3 --split blocks --variant mixup=0.1`
    """
    from pdml.cli.settings import parsed_settings
    from pdml.experiments.sweep.plan import SweepRequest
    from pdml.experiments.sweep.seeds import parse_seeds
    from pdml.experiments.sweep.store import SweepFolder

    request = SweepRequest(
        experiment=what,
        dataset=dataset,
        seeds=parse_seeds(seeds),
        recipe=recipe,
        settings=parsed_settings(settings or (), epochs=epochs),
        twin=twin,
        variants=_variants(what, variants, methods, protocols),
        split=split,
        final=final,
    )
    parts = (what, dataset, "twin" if twin else None, split, "final" if final else None)
    folder = SweepFolder(out or Path("results") / "-".join(filter(None, parts)))
    if render_only:
        _render_only(request, folder)
    else:
        _run_and_render(request, folder, n_workers=jobs, device=device)


def _variants(
    what: str, variants: Sequence[str] | None, methods: str | None, protocols: str
) -> tuple[str, ...]:
    from pdml.experiments.compared_methods import variant_names

    if methods is None:
        return tuple(variants or ())
    if what != "results":
        raise InvalidInputError(
            f"--methods belongs to the experiment 'results', got it with '{what}'; leave it out, "
            "or name the rows with --variant"
        )
    named, how = (
        [part.strip() for part in text.split(",") if part.strip()] for text in (methods, protocols)
    )
    return (*(variants or ()), *variant_names(named, how))


def _run_and_render(
    request: SweepRequest, folder: SweepFolder, *, n_workers: int, device: str
) -> None:
    from pdml.cli.console import say
    from pdml.cli.sweep_progress import show_sweep
    from pdml.evaluation.report_text import counted
    from pdml.experiments.render.render import render_sweep
    from pdml.experiments.sweep.plan import plan_sweep
    from pdml.experiments.sweep.workers import prepare_sweep, run_sweep

    plan = plan_sweep(request)
    prepare_sweep(plan, folder, n_workers=n_workers, device=device)
    say(
        f"{plan.experiment.name}: {plan.experiment.title}, on {plan.subject.scene.name}; "
        f"{counted(len(plan.jobs), 'run')} of "
        f"{counted(plan.manifest['recipe']['epochs'], 'epoch')} in {folder.path}."
    )
    for sentence in plan.notes:
        say(sentence)
    with show_sweep(n_workers=n_workers) as listener:
        run_sweep(request, plan, folder, n_workers=n_workers, device=device, listener=listener)
    _show(render_sweep(folder, subject=plan.subject))


def _render_only(request: SweepRequest, folder: SweepFolder) -> None:
    from pdml.experiments.experiment import experiment_named
    from pdml.experiments.render.render import render_sweep

    manifest = folder.read_manifest()
    asked = {
        "experiment": experiment_named(request.experiment).name,
        "dataset": request.dataset,
        "twin": request.twin,
    }
    for key, value in asked.items():
        if manifest[key] != value:
            raise InvalidInputError(
                f"{folder.path} holds another sweep: {key} was {manifest[key]!r}, now it is "
                f"{value!r}; choose another --out, or ask for what is in the folder"
            )
    _show(render_sweep(folder))


def _show(written: Sequence[Path]) -> None:
    from pdml.cli.console import say

    say()
    say(written[0].read_text(encoding="utf-8").partition("\n![")[0].strip())
    say()
    for path in written:
        say(str(path))
