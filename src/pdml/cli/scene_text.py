"""A scene in words and in rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pdml.scenes.band_list import ranges
from pdml.scenes.summary import bad_bands, missing_share, n_bytes, place_in_words

if TYPE_CHECKING:
    from pdml.scenes.glance import Glance
    from pdml.scenes.scene import Scene
    from pdml.scenes.summary import BandStatistics

_UNITS = {"GB": 10**9, "MB": 10**6, "kB": 10**3}


def facts_in_words(scene: Scene, seen: Glance) -> dict[str, str]:
    """Headings and what is to say under each."""
    n_pixels = scene.n_rows * scene.n_cols
    facts = {
        "scene": scene.name,
        "size": f"{scene.n_rows} x {scene.n_cols} pixels, {_bands(scene)}",
        **({"left out": f"bands {ranges(scene.chosen.left_out)}"} if scene.chosen else {}),
        "type": f"{scene.source.dtype.name}, {_amount(n_bytes(scene))} in all",
        **({"unit": scene.unit} if scene.unit else {}),
        "wavelengths": _wavelengths(scene),
        "bad bands": _bad_bands(scene),
        "nodata": _nodata(scene, seen),
        **place_in_words(scene),
    }
    for heading, value in scene.about.items():
        facts[f"{heading} as described" if heading in facts else heading] = str(value)
    share = "all" if seen.is_all else f"{seen.n_pixels} of {n_pixels}"
    return {**facts, "pixels read for what follows": share}


def band_rows(statistics: Sequence[BandStatistics]) -> tuple[list[str], list[list[str]]]:
    """Headings and one row per band."""
    headings = ["band", "nm", "lowest", "2 %", "mean", "98 %", "highest", "std", ""]
    rows = []
    for one in statistics:
        values = (one.lowest, one.percent_2, one.mean, one.percent_98, one.highest, one.std)
        remarks = ["bad"] if one.is_bad else []
        if one.broken_share:
            remarks.append(f"{one.broken_share:.1%} NaN or infinite")
        rows.append(
            [
                str(one.band),
                "" if one.wavelength_nm is None else f"{one.wavelength_nm:.1f}",
                *("" if value is None else f"{value:.5g}" for value in values),
                ", ".join(remarks),
            ]
        )
    return headings, rows


def band_remarks(scene: Scene) -> list[str]:
    """Which bands of the file are left out, and which perhaps should be; a sentence each."""
    said = []
    if scene.chosen is not None:
        left_out = scene.chosen.left_out
        said.append(
            f"{scene.n_bands} of {scene.chosen.n_in_file} bands are used; left out: "
            f"{ranges(left_out)} (counted from 0)."
        )
    if numbers := bad_bands(scene):
        said.append(
            f"The file calls {len(numbers)} of the bands bad; --drop-bands bad leaves them out."
        )
    return said


def _bands(scene: Scene) -> str:
    if scene.chosen is None:
        return f"{scene.n_bands} bands"
    return f"{scene.n_bands} of {scene.chosen.n_in_file} bands"


def _wavelengths(scene: Scene) -> str:
    if scene.wavelengths_nm is None:
        return "not known"
    lowest, highest = scene.wavelengths_nm.min(), scene.wavelengths_nm.max()
    return f"{lowest:.5g} to {highest:.5g} nm"


def _bad_bands(scene: Scene) -> str:
    if scene.good_bands is None:
        return "the file says nothing of them"
    numbers = bad_bands(scene)
    return f"{len(numbers)}: {ranges(numbers)} (counted from 0)" if numbers else "none"


def _nodata(scene: Scene, seen: Glance) -> str:
    if scene.nodata is None:
        return "no value marks missing pixels"
    where = "of all pixels" if seen.is_all else "of the pixels read"
    return f"{scene.nodata:g}, {missing_share(seen):.1%} {where}"


def _amount(n_bytes: int) -> str:
    for unit, size in _UNITS.items():
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{n_bytes} bytes"
