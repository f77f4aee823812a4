"""`pdml report`: pictures and report are drawn again from the folder of a run."""

from __future__ import annotations

from pdml.cli.options import Run


def report(run: Run) -> None:
    """Draw the pictures and the report of a run again.

    Example: `pdml report runs/field`
    """
    from pdml.cli.progress import show_progress
    from pdml.cli.show_run import show_files
    from pdml.experiments.pictures import draw_pictures, rebuild_report
    from pdml.experiments.reopen import existing_run, reopen_subject
    from pdml.inference.stored_map import load_class_map

    folder = existing_run(run)
    class_map = load_class_map(folder.map)
    metrics = folder.read_metrics()
    subject = reopen_subject(folder)
    with show_progress() as listener:
        listener.stage("draw")
        draw_pictures(folder, subject, class_map, seed=metrics["seed"])
        rebuild_report(folder, colours=class_map.colours)
    show_files(folder)
