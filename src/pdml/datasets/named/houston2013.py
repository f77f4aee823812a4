"""Houston 2013: a campus and its town, seen by CASI; published with a fixed split."""

from __future__ import annotations

from pdml.datasets.card import DATASETS, Card, DataFile

_LABEL_FILES = ("houston_gt.mat", "Houston_gt.mat")

# Name: colour, training and test pixels.
_CLASSES = {
    "Healthy grass": ("#3fd13f", 198, 1053),
    "Stressed grass": ("#a8e04a", 190, 1064),
    "Synthetic grass": ("#2e8b57", 192, 505),
    "Trees": ("#0f6b0f", 188, 1056),
    "Soil": ("#a0522d", 186, 1056),
    "Water": ("#00c5ff", 182, 143),
    "Residential": ("#d8bfd8", 196, 1072),
    "Commercial": ("#ff4fd8", 191, 1053),
    "Road": ("#8c8c8c", 193, 1059),
    "Highway": ("#e3342f", 191, 1036),
    "Railway": ("#ff8c00", 181, 1054),
    "Parking Lot 1": ("#ffd400", 192, 1041),
    "Parking Lot 2": ("#7b2fbe", 184, 285),
    "Tennis Court": ("#1e40ff", 181, 247),
    "Running Track": ("#ff7f66", 187, 473),
}


@DATASETS.register
def houston2013() -> Card:
    """The card of Houston 2013."""
    return Card(
        name="houston2013",
        title="Houston 2013",
        files=(
            DataFile(
                "cube",
                names=("houston.mat", "Houston.mat", "houston2013.npy"),
                keys=("houston", "Houston"),
            ),
            DataFile(
                "train",
                names=(*_LABEL_FILES, "TRLabel.mat", "houston2013_train.npy"),
                keys=("houston_gt_tr", "TRLabel"),
            ),
            DataFile(
                "test",
                names=(*_LABEL_FILES, "TSLabel.mat", "houston2013_test.npy"),
                keys=("houston_gt_te", "TSLabel"),
            ),
        ),
        shape=(349, 1905, 144),
        dtype="float32",
        class_names=tuple(_CLASSES),
        colours=tuple(row[0] for row in _CLASSES.values()),
        counts={
            "train": tuple(row[1] for row in _CLASSES.values()),
            "test": tuple(row[2] for row in _CLASSES.values()),
        },
        rgb_bands=(59, 40, 23),
        citation=(
            "C. Debes et al., 'Hyperspectral and LiDAR Data Fusion: Outcome of the 2013 GRSS Data "
            "Fusion Contest', IEEE JSTARS 7(6), 2014, doi:10.1109/JSTARS.2014.2305441"
        ),
        terms="on request from the organisers of the contest, with acknowledgement",
        how_to_get=(
            "ask for the 2013 IEEE GRSS Data Fusion Contest data at "
            "https://hyperspectral.ee.uh.edu/?page_id=459"
        ),
        about={
            "sensor": "CASI-1500, 2012",
            "place": "University of Houston, Texas, USA",
            "pixel size": "2.5 m",
            "bands": "144 between 380 and 1050 nm; the exact centres are not in the file",
        },
    )
