"""The spectral stage of SSRN as one operation: its convolutions along the bands and their norms.

Layer by layer, PyTorch reads and writes each activation some ten times forward and thirty backward.
Here each layer is one compiled pass, with everything between two convolutions done in the cache;
`docs/explanation/performance.md` has the numbers. Statistics are float32 or better in any
precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from pdml.embeddings.norm_relu import NormRelu
from pdml.native import spectral
from pdml.native.spectral import Passes

Kernel = tuple[Tensor, Tensor]


def run_spectral_stage(
    pixels: Float[Tensor, "pixel band"],
    first: nn.Linear,
    convolutions: Sequence[nn.Conv2d],
    norms: Sequence[NormRelu],
) -> Float[Tensor, "pixel position_channel"] | None:
    """First convolution, residual blocks and normalisations; None if the compiled form cannot.

    Args:
        pixels: The spectra.
        first: The strided first convolution, as a layer on windows.
        convolutions: Two for each residual block.
        norms: One behind each convolution, the first one included.
    """
    dtype = _dtype(pixels)
    pixels = pixels.to(first.weight.dtype).contiguous()
    training = norms[0].training
    n_pixels, n_bands = pixels.shape
    n_positions = (n_bands - spectral.TAPS) // spectral.STRIDE + 1
    n_values = n_pixels * n_positions
    wanted = n_values > 1 if training else not torch.is_grad_enabled()
    single = pixels.device.type == "cpu" and pixels.dtype == torch.float32
    form = spectral.fastest(dtype, first.out_features)
    if not (wanted and single and n_pixels) or form is None:
        return None
    passes = Passes(n_pixels, n_bands, n_positions, first.out_features, form=form, eps=norms[0].eps)
    layers: list[nn.Linear | nn.Conv2d] = [first, *convolutions]
    kernels = [_kernel(layer) for layer in layers]
    if not training:
        return _evaluate(passes, pixels, kernels, norms)
    parameters = [p for kernel in kernels for p in kernel]
    parameters += [p for norm in norms for p in (norm.weight, norm.bias)]
    rows: Tensor
    rows, means, variances = _SpectralStage.apply(  # type: ignore[no-untyped-call]
        passes, pixels, len(kernels), *parameters
    )
    for norm, mean, variance in zip(norms, means, variances, strict=True):
        norm.track(mean, variance, n_values)
    return rows


def _dtype(pixels: Tensor) -> torch.dtype:
    """That of the activations: autocast's if it is on, else that of the spectra."""
    device = pixels.device.type
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else pixels.dtype


def _kernel(layer: nn.Linear | nn.Conv2d) -> Kernel:
    assert layer.bias is not None  # every convolution of the stage has one
    return layer.weight, layer.bias


def _evaluate(
    passes: Passes, pixels: Tensor, kernels: list[Kernel], norms: Sequence[NormRelu]
) -> Tensor:
    table = passes.norms(len(norms))
    for vectors, norm in zip(table, norms, strict=True):
        scale, shift = norm.scale_and_shift()
        vectors[spectral.SCALE, : passes.n_channels] = scale
        vectors[spectral.SHIFT, : passes.n_channels] = shift
    return passes.rows(_forward(passes, pixels, kernels, table, moments=False)[-1], table[-1])


def _forward(
    passes: Passes, pixels: Tensor, kernels: list[Kernel], norms: Tensor, *, moments: bool
) -> list[Tensor]:
    """What each convolution returns. A block adds its input: the first one's is activated."""
    outputs = [passes.first(pixels, *kernels[0], norms[0], moments=moments)]
    for i in range(1, len(kernels), 2):
        start = outputs[-1]
        between = passes.convolve(start, norms[i - 1], kernels[i], None, norms[i], moments=moments)
        residual = start, norms[0] if i == 1 else None
        end = passes.convolve(
            between, norms[i], kernels[i + 1], residual, norms[i + 1], moments=moments
        )
        outputs += [between, end]
    return outputs


class _SpectralStage(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, passes: Passes, pixels: Tensor, n_kernels: int, *parameters: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        parameters = tuple(p.contiguous() for p in parameters)
        pairs = list(zip(parameters[::2], parameters[1::2], strict=True))
        kernels, affine = pairs[:n_kernels], pairs[n_kernels:]
        norms = passes.norms(n_kernels)
        for which, vectors in enumerate(zip(*affine, strict=True)):
            norms[:, which, : passes.n_channels] = torch.stack(vectors)
        outputs = _forward(passes, pixels, kernels, norms, moments=True)
        ctx.passes = passes
        ctx.save_for_backward(pixels, norms, *(weight for weight, _ in kernels), *outputs)
        means, variances = norms[:, [spectral.MEAN, spectral.VARIANCE], : passes.n_channels].unbind(
            1
        )
        ctx.mark_non_differentiable(means, variances)
        return passes.rows(outputs[-1], norms[-1]), means, variances

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        passes: Passes = ctx.passes
        pixels, norms, *rest = ctx.saved_tensors
        n = len(norms)
        weights, outputs = rest[:n], rest[n:]
        of_kernels: list[tuple[Tensor, Tensor]] = []
        g = gradients[0].to(passes.dtype).contiguous()
        h = passes.rows_backward(g, outputs[-1], norms[-1])
        past = None  # what reaches a block's output other than through its normalisation
        for i in range(n - 1, 0, -2):
            kept = passes.activations()
            behind = h, outputs[i], norms[i], past
            h, *of_second = passes.convolve_backward(
                behind, kept, outputs[i - 1], norms[i - 1], weights[i], None
            )
            behind = h, outputs[i - 1], norms[i - 1], None
            skip = kept if i == 2 else None  # the first block adds its input activated
            h, *of_first = passes.convolve_backward(
                behind, None, outputs[i - 2], norms[i - 2], weights[i - 1], skip
            )
            past = kept
            of_kernels = [tuple(of_first), tuple(of_second), *of_kernels]  # type: ignore[list-item]
        of_pixels, *of_first = passes.first_backward(
            (h, outputs[0], norms[0]), pixels, weights[0], of_pixels=ctx.needs_input_grad[1]
        )
        flat = [*of_first, *(g for pair in of_kernels for g in pair)]
        of_norms = norms[:, [spectral.OF_GAMMA, spectral.OF_BETA], : passes.n_channels]
        return None, of_pixels, None, *flat, *of_norms.flatten(0, 1).unbind()
