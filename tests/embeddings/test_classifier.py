"""What each classifier sees of the mean matrix."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pdml.embeddings.classifier import CentreClassifier, MapClassifier, PooledClassifier

SIDE, SIZE, N_CLASSES = 5, 4, 3


def mean() -> Tensor:
    values = torch.randn(2, SIDE, SIDE, SIZE, generator=torch.Generator().manual_seed(0))
    return values.requires_grad_()


def influence(classifier: nn.Module) -> Tensor:
    """How much each pixel moves the logits: the norm of their gradient."""
    x = mean()
    generator = torch.Generator().manual_seed(1)
    (classifier(x) * torch.randn(2, N_CLASSES, generator=generator)).sum().backward()
    assert x.grad is not None
    return x.grad.square().sum(3).sqrt()


def test_the_centre_classifier_sees_the_centre_alone() -> None:
    seen = influence(CentreClassifier(SIZE, N_CLASSES)) > 0
    expected = torch.zeros(2, SIDE, SIDE, dtype=torch.bool)
    expected[:, 2, 2] = True
    assert torch.equal(seen, expected)


def test_the_map_classifier_sees_every_pixel_with_weights_of_its_own() -> None:
    seen = influence(MapClassifier(SIZE, N_CLASSES, patch_size=SIDE))
    assert (seen > 0).all()
    assert len(set(seen[0].flatten().tolist())) == SIDE * SIDE


def test_the_map_classifier_is_a_convolution_over_the_whole_mean_matrix() -> None:
    classifier = MapClassifier(SIZE, N_CLASSES, patch_size=SIDE)
    kernel = classifier.linear.weight.view(N_CLASSES, SIDE, SIDE, SIZE).permute(0, 3, 1, 2)
    x = mean()
    convolved = nn.functional.conv2d(x.permute(0, 3, 1, 2), kernel, classifier.linear.bias)
    torch.testing.assert_close(classifier(x), convolved[:, :, 0, 0])


def test_the_pooled_classifier_sees_the_average_alone() -> None:
    classifier = PooledClassifier(SIZE, N_CLASSES, dropout=0.5).eval()
    seen = influence(classifier)
    torch.testing.assert_close(seen, seen[:, :1, :1].expand_as(seen))
    x = mean().detach()
    shuffled = x.view(2, SIDE * SIDE, SIZE).flip(1).view(x.shape)
    torch.testing.assert_close(classifier(x), classifier(shuffled))
    torch.testing.assert_close(classifier(x), classifier.linear(x.sum((1, 2)) / SIDE**2))


def test_dropout_acts_in_training_only() -> None:
    classifier = PooledClassifier(400, N_CLASSES, dropout=0.5)
    x = torch.ones(1, SIDE, SIDE, 400)
    assert not torch.equal(classifier(x), classifier(x))
    classifier.eval()
    assert torch.equal(classifier(x), classifier(x))
