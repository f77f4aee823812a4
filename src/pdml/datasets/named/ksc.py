"""Kennedy Space Center: wetlands, seen by AVIRIS."""

from __future__ import annotations

from pdml.datasets.card import DATASETS, Card, DataFile

# Name: colour, labelled pixels.
_CLASSES = {
    "Scrub": ("#c8a165", 761),
    "Willow swamp": ("#2e8b57", 243),
    "Cabbage palm hammock": ("#9acd32", 256),
    "Cabbage palm/oak hammock": ("#556b2f", 252),
    "Slash pine": ("#006400", 161),
    "Oak/broadleaf hammock": ("#ff8c00", 229),
    "Hardwood swamp": ("#8b3a62", 105),
    "Graminoid marsh": ("#ffd400", 431),
    "Spartina marsh": ("#40e0d0", 520),
    "Cattail marsh": ("#ff69b4", 404),
    "Salt marsh": ("#9932cc", 419),
    "Mud flats": ("#7a4a1e", 503),
    "Water": ("#1e6fff", 927),
}


@DATASETS.register
def ksc() -> Card:
    """The card of Kennedy Space Center."""
    return Card(
        name="ksc",
        title="Kennedy Space Center",
        files=(
            DataFile(
                "cube",
                names=("KSC.mat",),
                keys=("KSC",),
                urls=(
                    "https://www.ehu.eus/ccwintco/uploads/2/26/KSC.mat",
                    "http://www.ehu.es/ccwintco/uploads/2/26/KSC.mat",
                ),
            ),
            DataFile(
                "labels",
                names=("KSC_gt.mat",),
                keys=("KSC_gt",),
                urls=(
                    "https://www.ehu.eus/ccwintco/uploads/a/a6/KSC_gt.mat",
                    "http://www.ehu.es/ccwintco/uploads/a/a6/KSC_gt.mat",
                ),
            ),
        ),
        shape=(512, 614, 176),
        dtype="uint16",
        class_names=tuple(_CLASSES),
        colours=tuple(colour for colour, _ in _CLASSES.values()),
        counts={"labels": tuple(count for _, count in _CLASSES.values())},
        rgb_bands=(43, 21, 11),
        citation=(
            "J. Ham, Y. Chen, M. M. Crawford, J. Ghosh, 'Investigation of the Random Forest "
            "Framework for Classification of Hyperspectral Data', IEEE TGRS 43(3), 2005, "
            "doi:10.1109/TGRS.2004.842481"
        ),
        about={
            "sensor": "AVIRIS, 1996",
            "place": "Kennedy Space Center, Florida, USA",
            "pixel size": "18 m",
            "bands": "176 of 224 between 400 and 2500 nm, water absorption and noisy ones removed; "
            "which ones is not published with the file",
        },
    )
