"""Small batches of pixels that the tests of the losses share."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

Batch = tuple[Tensor, Tensor, Tensor, Tensor]


@pytest.fixture
def batch() -> Callable[..., Batch]:
    """Makes samples, classes, a and b, of which all but the classes want gradients."""

    def make(n: int = 23, k: int = 3, dtype: torch.dtype = torch.float64, seed: int = 0) -> Batch:
        generator = torch.Generator().manual_seed(seed)
        samples = torch.randn(n, k, 5, generator=generator, dtype=torch.float64)
        classes = torch.randint(0, 4, (n,), generator=generator)
        a, b = torch.tensor(1.3, dtype=dtype), torch.tensor(3.1, dtype=dtype)
        return samples.to(dtype).requires_grad_(), classes, a.requires_grad_(), b.requires_grad_()

    return make
