"""Botswana: the Okavango delta, seen by Hyperion from orbit."""

from __future__ import annotations

from pdml.datasets.card import DATASETS, Card, DataFile

# Hyperion's two spectrometers are linear in the band number (counted from 1); band 8 of the first
# and band 77 of the second are the published centres from which these lines start.
_VISIBLE_START_NM, _VISIBLE_STEP_NM = 426.82, 10.1755
_INFRARED_START_NM, _INFRARED_STEP_NM = 912.45, 10.0884
_KEPT = (*range(10, 56), *range(82, 98), *range(102, 120), *range(134, 165), *range(187, 221))


def _centre_nm(band: int) -> float:
    if band <= 70:
        return round(_VISIBLE_START_NM + _VISIBLE_STEP_NM * (band - 8), 2)
    return round(_INFRARED_START_NM + _INFRARED_STEP_NM * (band - 77), 2)


# Name: colour, labelled pixels.
_CLASSES = {
    "Water": ("#1e6fff", 270),
    "Hippo grass": ("#7ddc4f", 101),
    "Floodplain grasses 1": ("#c6e048", 251),
    "Floodplain grasses 2": ("#8aa82a", 215),
    "Reeds": ("#40e0d0", 269),
    "Riparian": ("#006400", 269),
    "Firescar": ("#3a3a3a", 259),
    "Island interior": ("#ffd400", 203),
    "Acacia woodlands": ("#2e8b57", 314),
    "Acacia shrublands": ("#9932cc", 248),
    "Acacia grasslands": ("#ff8c00", 305),
    "Short mopane": ("#ff69b4", 181),
    "Mixed mopane": ("#8b3a62", 268),
    "Exposed soils": ("#c8874a", 95),
}


@DATASETS.register
def botswana() -> Card:
    """The card of Botswana."""
    return Card(
        name="botswana",
        title="Botswana",
        files=(
            DataFile(
                "cube",
                names=("Botswana.mat",),
                keys=("Botswana",),
                urls=(
                    "https://www.ehu.eus/ccwintco/uploads/7/72/Botswana.mat",
                    "http://www.ehu.es/ccwintco/uploads/7/72/Botswana.mat",
                ),
            ),
            DataFile(
                "labels",
                names=("Botswana_gt.mat",),
                keys=("Botswana_gt",),
                urls=(
                    "https://www.ehu.eus/ccwintco/uploads/5/58/Botswana_gt.mat",
                    "http://www.ehu.es/ccwintco/uploads/5/58/Botswana_gt.mat",
                ),
            ),
        ),
        shape=(1476, 256, 145),
        dtype="uint16",
        class_names=tuple(_CLASSES),
        colours=tuple(colour for colour, _ in _CLASSES.values()),
        counts={"labels": tuple(count for _, count in _CLASSES.values())},
        rgb_bands=(33, 22, 11),
        citation=(
            "J. Ham, Y. Chen, M. M. Crawford, J. Ghosh, 'Investigation of the Random Forest "
            "Framework for Classification of Hyperspectral Data', IEEE TGRS 43(3), 2005, "
            "doi:10.1109/TGRS.2004.842481"
        ),
        wavelengths_nm=tuple(_centre_nm(band) for band in _KEPT),
        about={
            "sensor": "Hyperion on EO-1, 2001",
            "place": "Okavango delta, Botswana",
            "pixel size": "30 m",
            "bands": "145 of 242; kept are 10-55, 82-97, 102-119, 134-164 and 187-220; centres "
            "computed, good to 0.1 nm",
        },
    )
