"""SAE, the stacked autoencoder on spectrum and surroundings of Chen et al. (2014).

The input of a pixel is its spectrum and the principal components of the 7 x 7 pixels around it. Two
layers of 310 and 100 sigmoid units are trained one after the other, before anything is classified,
to give back what they got, with the same weights backwards; then all is trained together as any
other network. The channels must be the bands followed by their components:
`features = "bands_and_components"`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, conv2d, linear, unfold

from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.embeddings.padding import Padding, require_padding
from pdml.errors import InvalidInputError

WINDOW = 7
PRETRAINING_BATCH = 100


@BACKBONES.register
class Sae(Backbone):
    """The encoder.

    Args:
        n_bands: Bands and components.
        n_components: How many of the last channels are components.
        padding: `"collapsed"`: only pixels whose whole window is in the patch are left, one of
            7 x 7; `"same"`: windows reach beyond the patch, where nothing is.
        widths: Units of the layers.
        pretraining_epochs: Epochs of each layer before the network is trained as a whole.
        pretraining_rate: Learning rate of Adam in them.

    Attributes:
        reconstruction: Of each layer the mean loss of each epoch of its pre-training.
    """

    options: ClassVar[tuple[str, ...]] = (
        "n_components",
        "padding",
        "widths",
        "pretraining_epochs",
        "pretraining_rate",
    )
    low: Tensor
    span: Tensor

    def __init__(
        self,
        *,
        n_bands: int,
        n_components: int = 4,
        padding: Padding = "same",
        widths: Sequence[int] = (310, 100),
        pretraining_epochs: int = 200,
        pretraining_rate: float = 1e-3,
    ) -> None:
        super().__init__()
        require_padding(padding)
        if not 0 < n_components < n_bands or not widths:
            raise InvalidInputError(
                "sae needs bands, at least one component behind them and one layer, got "
                f"{n_bands} channels, n_components = {n_components} and widths = {list(widths)}; "
                "set features = 'bands_and_components'"
            )
        self.n_bands = n_bands
        self.n_features = widths[-1]
        self.n_components = n_components
        self.padding: Padding = padding
        self.pretraining_epochs = pretraining_epochs
        self.pretraining_rate = pretraining_rate
        self.reconstruction: list[list[float]] = []
        n_inputs = n_bands - n_components + WINDOW**2 * n_components
        sizes = [n_inputs, *widths]
        self.layers = nn.ModuleList(nn.Linear(sizes[i], sizes[i + 1]) for i in range(len(widths)))
        self.register_buffer("low", torch.zeros(n_bands))
        self.register_buffer("span", torch.ones(n_bands))
        for layer in self.layers:
            assert isinstance(layer, nn.Linear)  # all of them are
            nn.init.xavier_uniform_(layer.weight, gain=4.0)  # as a sigmoid wants it
            nn.init.zeros_(layer.bias)

    def output_size(self, patch_size: int) -> int:
        """The patch's own, or the pixels whose window lies within it."""
        return patch_size if self.padding == "same" else max(0, patch_size - WINDOW + 1)

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The channels, brought to the range from 0 to 1 that the training patches have."""
        return (pixels - self.low) / self.span

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row_left col_left"]:
        """Both layers on every pixel that is left.

        The first one is a product for the spectrum and a convolution for the window.
        """
        spectrum, components = self._parts(features)
        around = WINDOW // 2 if self.padding == "same" else 0
        first = self.layers[0]
        assert isinstance(first, nn.Linear)  # all of them are
        n_bands = spectrum.shape[1]
        of_spectrum, of_window = first.weight[:, :n_bands], first.weight[:, n_bands:]
        kernel = of_window.reshape(-1, self.n_components, WINDOW, WINDOW)
        x = conv2d(components, kernel, first.bias, padding=around)
        x = torch.sigmoid(x + conv2d(spectrum, of_spectrum[:, :, None, None]))
        x = x.permute(0, 2, 3, 1)
        for layer in self.layers[1:]:
            x = torch.sigmoid(layer(x))
        return x.permute(0, 3, 1, 2)

    def _parts(
        self, features: Float[Tensor, "n channel row col"]
    ) -> tuple[Float[Tensor, "n band row_left col_left"], Float[Tensor, "n component row col"]]:
        """Spectra of the pixels that are left, and the components of all."""
        n_bands = self.n_bands - self.n_components
        spectrum, components = features[:, :n_bands], features[:, n_bands:]
        if self.padding == "collapsed":
            half = WINDOW // 2
            spectrum = spectrum[:, :, half:-half, half:-half]
        return spectrum, components

    @torch.no_grad()
    def prepare(
        self, patches: Iterable[Float[Tensor, "n row col band"]], *, generator: torch.Generator
    ) -> None:
        """Trains the layers one after the other to give back the training pixels."""
        centres = torch.cat([self._centres(batch) for batch in patches])
        n_bands = self.n_bands - self.n_components
        of_spectrum = centres[:, :n_bands]
        of_window = centres[:, n_bands:].view(len(centres), self.n_components, -1)
        low = torch.cat([of_spectrum.amin(0), of_window.amin((0, 2))])
        high = torch.cat([of_spectrum.amax(0), of_window.amax((0, 2))])
        self.low.copy_(low)
        self.span.copy_(torch.where(high > low, high - low, 1.0))
        repeats = torch.tensor([1] * n_bands + [WINDOW**2] * self.n_components, device=low.device)
        x = (centres - low.repeat_interleave(repeats)) / self.span.repeat_interleave(repeats)
        self.reconstruction = []
        for layer in self.layers:
            assert isinstance(layer, nn.Linear)  # all of them are
            self.reconstruction.append(self._pretrain(layer, x, generator))
            x = torch.sigmoid(layer(x))

    def _centres(self, patches: Float[Tensor, "n row col band"]) -> Float[Tensor, "n value"]:
        """Spectrum of each patch's centre and components of the window around it."""
        x = patches.permute(0, 3, 1, 2)
        n_bands = self.n_bands - self.n_components
        middle = x.shape[2] // 2
        windows = unfold(x[:, n_bands:], WINDOW, padding=WINDOW // 2)
        window = windows[:, :, middle * x.shape[3] + middle]
        return torch.cat([x[:, :n_bands, middle, middle], window], dim=1)

    @torch.enable_grad()
    def _pretrain(
        self, layer: nn.Linear, x: Float[Tensor, "n value"], generator: torch.Generator
    ) -> list[float]:
        """Trains one layer with tied weights; returns its mean loss of each epoch."""
        backwards = torch.zeros(layer.in_features, device=x.device, requires_grad=True)
        parameters = [*layer.parameters(), backwards]
        optimiser = torch.optim.Adam(parameters, lr=self.pretraining_rate)
        losses = []
        for _ in range(self.pretraining_epochs):
            total = 0.0
            order = torch.randperm(len(x), generator=generator)
            for rows in torch.split(order, PRETRAINING_BATCH):
                batch = x[rows.to(x.device)]
                given_back = linear(torch.sigmoid(layer(batch)), layer.weight.T, backwards)
                loss = binary_cross_entropy_with_logits(given_back, batch, reduction="sum")
                optimiser.zero_grad()
                (loss / len(batch)).backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                total += float(loss.detach())
            losses.append(total / len(x))
        return losses
