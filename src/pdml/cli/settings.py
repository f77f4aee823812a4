"""Recipe values as they are given on the command line."""

from __future__ import annotations

from collections.abc import Sequence

from pdml.errors import InvalidInputError


def parsed_settings(texts: Sequence[str], *, epochs: int | None) -> dict[str, str]:
    """Values over a recipe by their keys, from `--set KEY=VALUE` and `--epochs N`.

    Raises:
        InvalidInputError: If a text has no equals sign.
    """
    settings = {} if epochs is None else {"epochs": str(epochs)}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise InvalidInputError(
                f"--set must be KEY=VALUE, got '{text}'; for example --set epochs=10"
            )
        settings[name.strip()] = value.strip()
    return settings
