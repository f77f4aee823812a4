"""Downloads go through pooch; here over a server on this machine, so that it is the real thing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from threading import Thread

import pytest

from pdml.datasets.card import DataFile
from pdml.datasets.download import download

CONTENT = b"seven bands" * 100


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of a file."""
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "cube.mat").write_bytes(CONTENT)
    with HTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/cube.mat"
        server.shutdown()
        thread.join()


def test_the_next_address_is_tried_when_one_fails(address: str, tmp_path: Path) -> None:
    gone = f"{address}.gone"
    path, reasons = download(DataFile("cube", ("cube.mat",), urls=(gone, address)), tmp_path)
    assert path == tmp_path / "cube.mat"
    assert path.read_bytes() == CONTENT
    assert len(reasons) == 1
    assert reasons[0].startswith(f"{gone}: 404")


def test_a_known_checksum_is_compared(address: str, tmp_path: Path) -> None:
    right = hashlib.sha256(CONTENT).hexdigest()
    file = DataFile("cube", ("cube.mat",), urls=(address,), sha256="0" * 64)
    path, reasons = download(file, tmp_path)
    assert path is None
    assert right in reasons[0]
    assert not (tmp_path / "cube.mat").exists()
    path, _ = download(DataFile("cube", ("cube.mat",), urls=(address,), sha256=right), tmp_path)
    assert path is not None


def test_a_file_without_an_address_is_said_to_have_none(tmp_path: Path) -> None:
    assert download(DataFile("cube", ("cube.mat",)), tmp_path) == (
        None,
        ["it cannot be downloaded freely"],
    )
