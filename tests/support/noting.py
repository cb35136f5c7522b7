"""Record the results of a function's calls."""

from __future__ import annotations

from types import ModuleType

import pytest

__all__ = ["note_results"]


def note_results(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str) -> list[bool]:
    """Record from now on whether each call of a module's function returns a result; the calls go through."""
    found, function = [], getattr(module, name)

    def noted(*args, **options):
        result = function(*args, **options)
        found.append(result is not None)
        return result

    monkeypatch.setattr(module, name, noted)
    return found
