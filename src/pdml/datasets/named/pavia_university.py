"""Pavia University: a campus, seen by ROSIS."""

from __future__ import annotations

from pdml.datasets.card import DATASETS, Card, DataFile

# Name: colour, labelled, fixed training and fixed test pixels.
_CLASSES = {
    "Asphalt": ("#a8a8b3", 6631, 548, 6304),
    "Meadows": ("#7ddc4f", 18649, 540, 18146),
    "Gravel": ("#00c5cd", 2099, 392, 1815),
    "Trees": ("#1f7a1f", 3064, 524, 2912),
    "Painted metal sheets": ("#ff4fd8", 1345, 265, 1113),
    "Bare Soil": ("#a0622d", 5029, 532, 4572),
    "Bitumen": ("#7b2fbe", 1330, 375, 981),
    "Self-Blocking Bricks": ("#e3342f", 3682, 514, 3364),
    "Shadows": ("#ffd400", 947, 231, 795),
}


@DATASETS.register
def pavia_university() -> Card:
    """The card of Pavia University.

    The fixed training map is not a part of the ground truth: 1147 of its 3921 pixels are unlabelled
    there. The maps are therefore never intersected.
    """
    return Card(
        name="pavia_university",
        title="Pavia University",
        files=(
            DataFile(
                "cube",
                names=("PaviaU.mat", "paviaU.mat"),
                keys=("paviaU",),
                urls=("https://www.ehu.eus/ccwintco/uploads/e/ee/PaviaU.mat",),
            ),
            DataFile(
                "labels",
                names=("PaviaU_gt.mat", "paviaU_gt.mat"),
                keys=("paviaU_gt", "Data_gt"),
                urls=("https://www.ehu.eus/ccwintco/uploads/5/50/PaviaU_gt.mat",),
            ),
            DataFile("train", ("TRpavia_fixed.mat",), keys=("TRpavia_fixed",), required=False),
            DataFile("test", ("TSpavia_fixed.mat",), keys=("TSpavia_fixed",), required=False),
        ),
        shape=(610, 340, 103),
        dtype="uint16",
        class_names=tuple(_CLASSES),
        colours=tuple(row[0] for row in _CLASSES.values()),
        counts={
            "labels": tuple(row[1] for row in _CLASSES.values()),
            "train": tuple(row[2] for row in _CLASSES.values()),
            "test": tuple(row[3] for row in _CLASSES.values()),
        },
        rgb_bands=(55, 41, 12),
        citation=(
            "P. Gamba, Telecommunications and Remote Sensing Laboratory, University of Pavia; "
            "distributed by the Computational Intelligence Group, University of the Basque Country"
        ),
        about={
            "sensor": "ROSIS-3",
            "place": "Pavia, Italy",
            "pixel size": "1.3 m",
            "bands": "103 of 115 between 430 and 860 nm, noisy ones removed; the exact centres "
            "are not published with the file",
        },
    )
