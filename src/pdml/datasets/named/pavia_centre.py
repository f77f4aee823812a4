"""Pavia Centre: a town on a river, seen by ROSIS."""

from __future__ import annotations

from pdml.datasets.card import DATASETS, Card, DataFile

# Name: colour, labelled pixels.
_CLASSES = {
    "Water": ("#1e6fff", 65971),
    "Trees": ("#1f7a1f", 7598),
    "Asphalt": ("#a8a8b3", 3090),
    "Self-Blocking Bricks": ("#e3342f", 2685),
    "Bitumen": ("#7b2fbe", 6584),
    "Tiles": ("#ff8c42", 9248),
    "Shadows": ("#ffd400", 7287),
    "Meadows": ("#7ddc4f", 42826),
    "Bare Soil": ("#a0622d", 2863),
}


@DATASETS.register
def pavia_centre() -> Card:
    """The card of Pavia Centre."""
    return Card(
        name="pavia_centre",
        title="Pavia Centre",
        files=(
            DataFile(
                "cube",
                names=("Pavia.mat", "pavia.mat", "paviaC.mat"),
                keys=("pavia", "paviaC"),
                urls=("https://www.ehu.eus/ccwintco/uploads/e/e3/Pavia.mat",),
            ),
            DataFile(
                "labels",
                names=("Pavia_gt.mat", "pavia_gt.mat", "paviaC_gt.mat"),
                keys=("pavia_gt", "paviaC_gt"),
                urls=("https://www.ehu.eus/ccwintco/uploads/5/53/Pavia_gt.mat",),
            ),
        ),
        shape=(1096, 715, 102),
        dtype="uint16",
        class_names=tuple(_CLASSES),
        colours=tuple(colour for colour, _ in _CLASSES.values()),
        counts={"labels": tuple(count for _, count in _CLASSES.values())},
        rgb_bands=(55, 41, 12),
        citation=(
            "P. Gamba, Telecommunications and Remote Sensing Laboratory, University of Pavia; "
            "distributed by the Computational Intelligence Group, University of the Basque Country"
        ),
        about={
            "sensor": "ROSIS-3",
            "place": "Pavia, Italy",
            "pixel size": "1.3 m",
            "bands": "102 of 115 between 430 and 860 nm, noisy ones removed; the exact centres "
            "are not published with the file",
            "columns": "715 of 1096: a strip without data was cut out, so the image has a seam",
        },
    )
