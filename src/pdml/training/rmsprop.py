"""RMSProp in one compiled pass where there is a compiler: PyTorch's makes five per tensor."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import torch
from torch import Tensor, optim

from pdml.native import rmsprop as native


class RMSProp(optim.RMSprop):
    """PyTorch's RMSProp without momentum and centring; its state and results are the same.

    Args:
        params: Groups of parameters.
        lr: Learning rate.
        alpha: Weight of the past in the average of squared gradients.
        eps: Added to the root of that average.
    """

    def __init__(
        self, params: list[dict[str, Any]], *, lr: float, alpha: float, eps: float
    ) -> None:
        super().__init__(params, lr=lr, alpha=alpha, eps=eps, foreach=True)

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """One step; the first one, which makes the state, is PyTorch's."""
        chosen = [[p for p in group["params"] if p.grad is not None] for group in self.param_groups]
        parts = [self._parts(weights) for weights in chosen]
        fit = all(part and native.available([*chain(*part)]) for part in parts)
        if closure is not None or not fit:
            loss: float | None = super().step(closure)
            return loss
        for group, part in zip(self.param_groups, parts, strict=True):
            native.rmsprop(
                *part,
                rate=group["lr"],
                alpha=group["alpha"],
                eps=group["eps"],
                weight_decay=group["weight_decay"],
            )
        return None

    def _parts(self, weights: list[Tensor]) -> list[list[Tensor]]:
        """Weights, gradients, averages and counts; nothing if there is no state yet."""
        states = [self.state[weight] for weight in weights]
        if not all(states):
            return []
        return [
            weights,
            [weight.grad for weight in weights if weight.grad is not None],
            [state["square_avg"] for state in states],
            [state["step"] for state in states],
        ]
