"""`pdml datasets`: the public scenes that pdml knows by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pdml.cli.guard import guarded

if TYPE_CHECKING:
    from pdml.datasets.card import Card, DataFile
    from pdml.datasets.locate import Located

Name = Annotated[str, typer.Argument(help="Name of a dataset.", show_default=False)]

app = typer.Typer(help="Show and fetch the public scenes that have a name.", no_args_is_help=True)


@app.command("list")
@guarded
def list_datasets() -> None:
    """List the public scenes.

    Example: `pdml datasets list`
    """
    from pdml.cli.console import show_table
    from pdml.datasets.card import dataset_card, dataset_names

    rows = []
    for name in dataset_names():
        card = dataset_card(name)
        size = " x ".join(map(str, card.shape))
        here = "yes" if _is_here(card) else "no"
        rows.append([name, size, str(card.n_classes), str(sum(card.counts_of_all)), here])
    headings = ["name", "rows x cols x bands", "classes", "labelled", "at hand"]
    show_table(headings, rows, numbers=headings[1:4])


@app.command()
@guarded
def info(name: Name) -> None:
    """Say everything that is known about a public scene.

    Example: `pdml datasets info indian_pines`
    """
    from pdml.cli.console import say, show_table
    from pdml.datasets.card import dataset_card

    card = dataset_card(name)
    for heading, text in _facts(card).items():
        say(f"{heading}: {text}")
    say()
    headings = ["class", "colour", *card.counts]
    rows = [
        [class_name, colour, *(str(counts[number]) for counts in card.counts.values())]
        for number, (class_name, colour) in enumerate(
            zip(card.class_names, card.colours, strict=True)
        )
    ]
    totals = ["all", "", *(str(sum(counts)) for counts in card.counts.values())]
    show_table(headings, [*rows, totals], numbers=headings[2:])
    say()
    for file in card.files:
        say(f"{file.role}: {_where(card, file)}")


@app.command()
@guarded
def fetch(name: Name) -> None:
    """Make sure that a public scene is at hand, downloading it if it must be.

    Example: `pdml datasets fetch pavia_university`
    """
    from pdml.cli.console import say
    from pdml.datasets.load import fetch_dataset

    paths = fetch_dataset(name)
    say(f"{name} is complete, its shape and the pixels of each class are as published:")
    for path in paths:
        say(f"  {path}")


def _facts(card: Card) -> dict[str, str]:
    n_rows, n_cols, n_bands = card.shape
    facts = {
        "name": card.name,
        "title": card.title,
        "size": f"{n_rows} x {n_cols} pixels, {n_bands} bands, {card.dtype}",
        **card.about,
        "bands of a picture": ", ".join(map(str, card.rgb_bands)) + " (counted from 0)",
        "citation": card.citation,
        "terms": card.terms,
        "how to get it": card.how_to_get,
    }
    if card.wavelengths_nm is not None:
        first, last = card.wavelengths_nm[0], card.wavelengths_nm[-1]
        facts["wavelengths"] = f"{first:g} to {last:g} nm"
    return {heading: text for heading, text in facts.items() if text}


def _located(card: Card, file: DataFile) -> Located | None:
    from pdml.datasets.locate import locate
    from pdml.errors import MissingFileError

    try:
        return locate(card, file, may_download=False)
    except MissingFileError:
        return None


def _is_here(card: Card) -> bool:
    return all(_located(card, file) for file in card.files if file.required)


def _where(card: Card, file: DataFile) -> str:
    located = _located(card, file)
    if located is not None:
        return f"{located.path} ({located.origin})"
    need = "" if file.required else ", not required"
    urls = f"; downloaded from {file.urls[0]} when needed" if file.urls else ""
    return f"{' or '.join(file.names)}, not at hand{need}{urls}"
