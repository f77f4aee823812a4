"""Optimisers, with what is spared from weight decay."""

from __future__ import annotations

import torch
from torch import nn, optim

from pdml.embeddings.model import Model
from pdml.training.recipe import Recipe
from pdml.training.rmsprop import RMSProp


def build_optimiser(model: nn.Module, objective: nn.Module, recipe: Recipe) -> optim.Optimizer:
    """The recipe's optimiser over the network and the parameters of the objective.

    Weight decay touches matrices and kernels only. The pair loss's own a and b are never decayed:
    they are the scale and the threshold of distances, not weights.
    """
    weights = [p for p in model.parameters() if p.ndim > 1]
    spared = [p for p in model.parameters() if p.ndim <= 1] + list(objective.parameters())
    groups = [
        {"params": weights, "weight_decay": recipe.weight_decay},
        {"params": spared, "weight_decay": 0.0},
    ]
    rate = recipe.learning_rate
    if recipe.optimiser == "rmsprop":
        # TensorFlow's constants, which the paper's results were made with; PyTorch's differ.
        return RMSProp(groups, lr=rate, alpha=0.9, eps=1e-7)
    if recipe.optimiser == "sgd":
        return optim.SGD(groups, lr=rate, momentum=0.9, nesterov=True, foreach=True)
    return optim.AdamW(groups, lr=rate, fused=True)


def kernel_penalty(model: Model) -> torch.Tensor:
    """Sum of squared convolution weights (the L2 regulariser of SSRN's authors).

    Linear layers of the backbone count: they are convolutions that are written as matrix products.
    The classifier does not.
    """
    parts = (model.backbone, model.head)
    kinds = nn.Conv2d | nn.Conv3d | nn.Linear
    kernels = [m.weight for part in parts for m in part.modules() if isinstance(m, kinds)]
    return torch.stack([kernel.square().sum() for kernel in kernels]).sum()
