"""Downloading one file of a dataset, with a progress bar."""

from __future__ import annotations

from pathlib import Path

from pdml.datasets.card import DataFile


def download(file: DataFile, folder: Path) -> tuple[Path | None, list[str]]:
    """Tries a file's addresses in turn.

    Args:
        file: The file; its checksum is compared where it is known.
        folder: Where it is put; nothing is left there if no address worked.

    Returns:
        The file, or None; and for each address that failed, why.
    """
    if not file.urls:
        return None, ["it cannot be downloaded freely"]
    import pooch

    # Without a known checksum pooch prints the one it computed, as if it had to be copied.
    pooch.get_logger().setLevel("WARNING")
    known_hash = f"sha256:{file.sha256}" if file.sha256 else None
    reasons = []
    for url in file.urls:
        try:
            path = pooch.retrieve(
                url, known_hash, fname=file.names[0], path=folder, progressbar=True
            )
        except (OSError, ValueError) as error:
            reasons.append(f"{url}: {_reason(error)}")
        else:
            return Path(path), reasons
    return None, reasons


def _reason(error: Exception) -> str:
    """The innermost cause in one line: the outer ones repeat the address and object ids."""
    cause: BaseException = error
    while cause.__cause__ or cause.__context__:
        cause = cause.__cause__ or cause.__context__ or cause
    return " ".join(str(cause).split()) or type(cause).__name__
