"""Salinas: vegetable fields, seen by AVIRIS."""

from __future__ import annotations

from pdml.datasets.card import DATASETS, Card, DataFile

# Name: colour, labelled pixels.
_CLASSES = {
    "Brocoli_green_weeds_1": ("#006400", 2009),
    "Brocoli_green_weeds_2": ("#3cb371", 3726),
    "Fallow": ("#d2a679", 1976),
    "Fallow_rough_plow": ("#8b5a2b", 1394),
    "Fallow_smooth": ("#f5c542", 2678),
    "Stubble": ("#ff8c00", 3959),
    "Celery": ("#00c5cd", 3579),
    "Grapes_untrained": ("#7b2fbe", 11271),
    "Soil_vinyard_develop": ("#e3342f", 6203),
    "Corn_senesced_green_weeds": ("#ffd400", 3278),
    "Lettuce_romaine_4wk": ("#c6f68d", 1068),
    "Lettuce_romaine_5wk": ("#8fdc4f", 1927),
    "Lettuce_romaine_6wk": ("#5bb52b", 916),
    "Lettuce_romaine_7wk": ("#2f7d1a", 1070),
    "Vinyard_untrained": ("#ff4fd8", 7268),
    "Vinyard_vertical_trellis": ("#1e6fff", 1807),
}


@DATASETS.register
def salinas() -> Card:
    """The card of Salinas."""
    return Card(
        name="salinas",
        title="Salinas",
        files=(
            DataFile(
                "cube",
                names=("Salinas_corrected.mat", "salinas_corrected.mat"),
                keys=("salinas_corrected",),
                urls=("https://www.ehu.eus/ccwintco/uploads/a/a3/Salinas_corrected.mat",),
            ),
            DataFile(
                "labels",
                names=("Salinas_gt.mat", "salinas_gt.mat"),
                keys=("salinas_gt",),
                urls=("https://www.ehu.eus/ccwintco/uploads/f/fa/Salinas_gt.mat",),
            ),
        ),
        shape=(512, 217, 204),
        dtype="int16",
        class_names=tuple(_CLASSES),
        colours=tuple(colour for colour, _ in _CLASSES.values()),
        counts={"labels": tuple(count for _, count in _CLASSES.values())},
        rgb_bands=(43, 21, 11),
        citation=(
            "AVIRIS, NASA Jet Propulsion Laboratory; distributed by the Computational Intelligence "
            "Group, University of the Basque Country"
        ),
        about={
            "sensor": "AVIRIS, 1998",
            "place": "Salinas Valley, California, USA",
            "pixel size": "3.7 m",
            "bands": "204 of 224 between 400 and 2500 nm; 108-112, 154-167 and 224 (water "
            "absorption) were removed",
        },
    )
