"""Training curves: the loss terms above, the accuracy on validation pixels below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pdml.errors import InvalidInputError
from pdml.evaluation.picture import DPI

LOSS_TERMS = {
    "total": ("total", "#222222"),
    "pairs": ("pairs", "#3380e6"),
    "variance": ("variance order", "#996600"),
    "classes": ("classes", "#801a4d"),
}
VALIDATION = "validation_oa"
WIDTH_INCHES = 6.0
PANEL_INCHES = 2.2
LOG_SPAN = 30.0  # terms that differ by more than this factor are shown on a logarithmic axis
FEW_EPOCHS = 30
LINEAR_SHARE = 1e-3  # of the largest term; smaller ones are shown linearly down to zero


def curves_picture(
    history: Sequence[Mapping[str, float]], *, best_epoch: int | None = None
) -> Figure:
    """Draws the history of a run.

    Args:
        history: One row per epoch with `epoch`, and whichever of `total`, `pairs`, `variance`,
            `classes` and `validation_oa` (a fraction) were recorded.
        best_epoch: The epoch whose weights were kept; marked unless it is None or 0.

    Raises:
        InvalidInputError: If no row holds an epoch and any of these numbers.
    """
    rows = [row for row in history if "epoch" in row]
    terms = {name: values for name in LOSS_TERMS if (values := _column(rows, name)) is not None}
    validation = _column(rows, VALIDATION)
    n_panels = bool(terms) + (validation is not None)
    if not n_panels:
        raise InvalidInputError(
            f"curves need rows with 'epoch' and any of {', '.join(LOSS_TERMS)} or {VALIDATION}, "
            f"got {len(history)} rows without; train for at least one epoch"
        )
    figure = Figure(
        figsize=(WIDTH_INCHES, 0.5 + PANEL_INCHES * n_panels), dpi=DPI, layout="constrained"
    )
    FigureCanvasAgg(figure)
    panels = list(figure.subplots(n_panels, 1, sharex=True, squeeze=False)[:, 0])
    epochs = np.array([row["epoch"] for row in rows])
    if terms:
        _draw_terms(panels[0], epochs, terms)
    if validation is not None:
        _draw_validation(panels[-1], epochs, validation)
    for axes in panels:
        _finish(axes, best_epoch)
    panels[-1].set_xlim(epochs.min() - 1, epochs.max() + 1)
    panels[-1].set_xlabel("epoch", fontsize=9)
    return figure


def _column(rows: Sequence[Mapping[str, float]], name: str) -> Float[np.ndarray, " epoch"] | None:
    values = np.array([row.get(name, np.nan) for row in rows], dtype=np.float64)
    return values if np.isfinite(values).any() else None


def _draw_terms(
    axes: Axes,
    epochs: Float[np.ndarray, " epoch"],
    terms: Mapping[str, Float[np.ndarray, " epoch"]],
) -> None:
    for name, values in terms.items():
        label, colour = LOSS_TERMS[name]
        axes.plot(
            epochs,
            values,
            color=colour,
            linewidth=1.3,
            label=label,
            marker=_marker(epochs),
            markersize=2.5,
        )
    sizes = np.abs(np.concatenate(list(terms.values())))
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    if sizes.size and sizes.max() > LOG_SPAN * sizes.min():
        axes.set_yscale("symlog", linthresh=max(sizes.min(), LINEAR_SHARE * sizes.max()))
    axes.set_ylabel("loss terms", fontsize=9)


def _draw_validation(
    axes: Axes, epochs: Float[np.ndarray, " epoch"], accuracy: Float[np.ndarray, " epoch"]
) -> None:
    known = np.isfinite(accuracy)
    axes.plot(
        epochs[known],
        100 * accuracy[known],
        color="#4d9966",
        linewidth=1.3,
        label="validation OA",
        marker=_marker(epochs),
        markersize=2.5,
    )
    axes.set_ylabel("overall accuracy, %", fontsize=9)


def _marker(epochs: Float[np.ndarray, " epoch"]) -> str:
    """Dots where there are few epochs, so that a single one can be seen."""
    return "o" if len(epochs) <= FEW_EPOCHS else ""


def _finish(axes: Axes, best_epoch: int | None) -> None:
    if best_epoch:
        axes.axvline(
            best_epoch,
            color="#666666",
            linestyle="--",
            linewidth=0.9,
            label=f"epoch kept: {best_epoch}",
        )
    axes.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=8, borderaxespad=0
    )
    axes.grid(color="#e5e5e5", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)
