"""Optional dependencies: imported when needed, named when missing."""

from __future__ import annotations

import importlib
from types import ModuleType

from pdml.errors import MissingExtraError


def require(module: str, *, extra: str) -> ModuleType:
    """Imports an optional module or says which extra installs it.

    Args:
        module: The module's import name, such as `"rasterio"`.
        extra: The extra of pdml that brings it, such as `"geo"`.

    Raises:
        MissingExtraError: If the module is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"this needs the package '{module}', which is not installed; "
            f"try: pip install 'pdml[{extra}]'"
        ) from error
