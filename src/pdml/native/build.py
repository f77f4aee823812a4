"""Compiling a C file next to this one, once per machine, and loading it."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
from functools import cache
from pathlib import Path

import torch

from pdml.atomic import atomic_path
from pdml.errors import StorageError

FLAGS = (
    "-O3",
    "-march=native",
    "-ffp-contract=fast",
    "-fno-math-errno",
    "-fopenmp",
    "-fPIC",
    "-shared",
)


@cache
def load(name: str) -> ctypes.CDLL | None:
    """The compiled `name.c`, or None where it cannot be had.

    Linux only; `PDML_NATIVE=0` switches it off. Where there is no C compiler, the callers do the
    same in PyTorch, more slowly. PyTorch has loaded its OpenMP library by then, under the name that
    the compiled code asks for, so both share one pool of threads.
    """
    if os.environ.get("PDML_NATIVE") == "0" or platform.system() != "Linux":
        return None
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not _brings_openmp():
        return None
    source = Path(__file__).with_name(f"{name}.c")
    library = _cache_folder() / f"{name}-{_fingerprint(source, compiler)}.so"
    try:
        if not library.exists():
            _compile(compiler, source, library)
        return ctypes.CDLL(str(library))
    except (OSError, StorageError, subprocess.SubprocessError):
        return None


def _compile(compiler: str, source: Path, library: Path) -> None:
    with atomic_path(library) as temporary:
        command = [compiler, *FLAGS, str(source), "-o", str(temporary)]
        subprocess.run(command, check=True, capture_output=True, timeout=60)


def _brings_openmp() -> bool:
    """Whether PyTorch comes with GNU's OpenMP; with another, two pools of threads would compete."""
    return any((Path(torch.__file__).parent / "lib").glob("libgomp.so*"))


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "pdml" / "native"


def _fingerprint(source: Path, compiler: str) -> str:
    """Changes with the code, the flags and the processor."""
    processor = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    flags = next((line for line in processor.splitlines() if line.startswith("flags")), "")
    files = (source, *sorted(source.parent.glob("*.h")))
    parts = (*(file.read_text(encoding="utf-8") for file in files), compiler, *FLAGS, flags)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
