"""Indian Pines: farmland, seen by AVIRIS; small, and carried by a package that pdml needs."""

from __future__ import annotations

from pdml.datasets.card import DATASETS, Card, DataFile, PublishedSplit

# Name: colour, labelled pixels.
_CLASSES = {
    "Alfalfa": ("#ff1493", 46),
    "Corn-notill": ("#ffd400", 1428),
    "Corn-mintill": ("#e6a817", 830),
    "Corn": ("#b8860b", 237),
    "Grass-pasture": ("#7cfc00", 483),
    "Grass-trees": ("#2e8b57", 730),
    "Grass-pasture-mowed": ("#008b8b", 28),
    "Hay-windrowed": ("#40e0d0", 478),
    "Oats": ("#7f4a1e", 20),
    "Soybean-notill": ("#1e6fff", 972),
    "Soybean-mintill": ("#6495ed", 2455),
    "Soybean-clean": ("#00008b", 593),
    "Wheat": ("#ff8c00", 205),
    "Woods": ("#006400", 1265),
    "Buildings-Grass-Trees-Drives": ("#9932cc", 386),
    "Stone-Steel-Towers": ("#dc143c", 93),
}


@DATASETS.register
def indian_pines() -> Card:
    """The card of Indian Pines."""
    return Card(
        name="indian_pines",
        title="Indian Pines",
        files=(
            DataFile(
                "cube",
                names=("Indian_pines_corrected.mat", "Indian_pines_corrected.npy"),
                keys=("indian_pines_corrected",),
                urls=("https://www.ehu.eus/ccwintco/uploads/6/67/Indian_pines_corrected.mat",),
                installed=("tensorly", "datasets/data/Indian_pines_corrected.npy"),
            ),
            DataFile(
                "labels",
                names=("Indian_pines_gt.mat", "Indian_pines_gt.npy"),
                keys=("indian_pines_gt",),
                urls=("https://www.ehu.eus/ccwintco/uploads/c/c4/Indian_pines_gt.mat",),
                installed=("tensorly", "datasets/data/Indian_pines_gt.npy"),
            ),
        ),
        shape=(145, 145, 200),
        dtype="uint16",
        class_names=tuple(_CLASSES),
        colours=tuple(colour for colour, _ in _CLASSES.values()),
        counts={"labels": tuple(count for _, count in _CLASSES.values())},
        rgb_bands=(43, 21, 11),
        citation=(
            "M. F. Baumgardner, L. L. Biehl, D. A. Landgrebe, '220 Band AVIRIS Hyperspectral Image "
            "Data Set: June 12, 1992 Indian Pine Test Site 3', Purdue University Research "
            "Repository, 2015, doi:10.4231/R7RX991C"
        ),
        terms="not stated for this copy; the original 220 bands are public at Purdue University",
        about={
            "sensor": "AVIRIS, 1992",
            "place": "north-west Indiana, USA",
            "pixel size": "20 m",
            "values": "1000 + 500 * radiance",
            "bands": "200 of 220 between 400 and 2500 nm; 104-108, 150-163 and 220 (water "
            "absorption) were removed",
        },
        splits={
            "disjoint": PublishedSplit(
                names=("indian_pines_splits.npz",),
                keys=("train_disjoint", "test_disjoint"),
                n_pixels=(5528, 4711),
                source="GRSS-DASE, cut to the usual ground truth",
            )
        },
    )
