"""Record the results of a function's calls."""

from __future__ import annotations

from types import ModuleType

import pyarrow as pa
import pytest

from parquetext.reading.choose.choice import FASTER, PYARROW, Choice
from parquetext.reading.execute.execution import Execution
from parquetext.reading.plan.part import Part

__all__ = ["note_faster", "note_results", "note_short_chunks"]


def note_results(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str) -> list[bool]:
    """Record from now on whether each call of a module's function returns a result; the calls go through."""
    found, function = [], getattr(module, name)

    def noted(*args, **options):
        result = function(*args, **options)
        found.append(result is not None)
        return result

    monkeypatch.setattr(module, name, noted)
    return found


def note_faster(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each read by default was done by our decoder because it is faster, from now on."""
    found, refused, table = [], [], Execution.table

    def noted(self: Execution) -> pa.Table:
        is_faster, is_default = self._choices[0] is FASTER, self._plan.options.engine is None
        if is_default and not self._plan.options.reader and all(self._plan is not plan for plan in refused):
            found.append(False)
        if is_faster:
            refused.append(self._plan)  # until it has succeeded
        result = table(self)
        if is_faster:
            found[-1] = True
        return result

    monkeypatch.setattr(Execution, "table", noted)
    return found


def note_short_chunks(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each part that is read by default was read as short chunks, from now on."""
    found, read, convert = [], Execution._read, Execution._with_short_chunks

    def noted(self: Execution, part: Part, choice: Choice) -> pa.Table:
        if choice.decoder == PYARROW and self._plan.options.engine is None and not self._plan.options.reader:
            found.append(False)
        return read(self, part, choice)

    def noted_conversion(self: Execution, part: Part, arrays: object) -> pa.Table | None:
        result = convert(self, part, arrays)
        found.append(result is not None)
        return result

    monkeypatch.setattr(Execution, "_read", noted)
    monkeypatch.setattr(Execution, "_with_short_chunks", noted_conversion)
    return found
