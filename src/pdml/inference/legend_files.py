"""Files beside a GeoTIFF that give its classes their names: GDAL's `.aux.xml` and QGIS's `.qml`.

A TIFF holds a colour table but no names of categories; GDAL, and so QGIS, looks for them beside it.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pdml.inference.categories import Categories


def aux_xml(categories: Categories) -> str:
    """GDAL's file: category names by code, from 0."""
    root = Element("PAMDataset")
    band = SubElement(root, "PAMRasterBand", band="1")
    SubElement(band, "Description").text = "class"
    names = SubElement(band, "CategoryNames")
    for name in categories.names:
        SubElement(names, "Category").text = name
    return _text(root)


def qml(categories: Categories) -> str:
    """QGIS's style file: a paletted band, without what was not measured."""
    root = Element("qgis", version="3.22", styleCategories="Symbology")
    renderer = SubElement(
        SubElement(root, "pipe"),
        "rasterrenderer",
        type="paletted",
        band="1",
        opacity="1",
        alphaBand="-1",
        nodataColor="",
    )
    palette = SubElement(renderer, "colorPalette")
    for code in categories.shown:
        name, rgba = categories.names[code], categories.rgba[code]
        colour = "#{:02x}{:02x}{:02x}".format(*rgba[:3])
        SubElement(
            palette,
            "paletteEntry",
            value=str(code),
            color=colour,
            label=name,
            alpha=str(rgba[3]),
        )
    return "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n" + _text(root)


def _text(root: Element) -> str:
    indent(root, " ")
    return tostring(root, encoding="unicode") + "\n"
