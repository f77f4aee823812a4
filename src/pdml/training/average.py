"""A running average of a model's weights, which is what gets evaluated and kept."""

from __future__ import annotations

from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

Tensors = tuple[Tensor, ...] | list[Tensor]


def averaged(model: nn.Module, decay: float) -> AveragedModel:
    """An exponential average with a warm-up, so that short runs do not remember their start.

    After n steps the weight of the past is the smaller of `decay` and (1 + n) / (10 + n).
    """

    def blend(average: Tensors, current: Tensors, n_averaged: Tensor | int) -> None:
        n = int(n_averaged)
        past = min(decay, (1 + n) / (10 + n))
        for kept, new in zip(average, current, strict=True):
            if kept.is_floating_point():
                kept.lerp_(new.to(kept.dtype), 1 - past)
            else:
                kept.copy_(new)  # a counter, such as the batches that a normalisation has seen

    return AveragedModel(model, multi_avg_fn=blend, use_buffers=True)
