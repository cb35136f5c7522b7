"""Read a file by its sidecar, which replaces the footer; the footer is not read."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from ..errors import Damaged, ParquetextError, Unsupported
from ..findings import Finding
from ..footer.best_form import best_form
from ..footer.bloom_filters import BloomFilters
from ..footer.model import FooterReader
from ..footer.targets import readable
from ..pruning import predicate_of
from ..sidecar.building import LENGTH_AND_MAGIC
from ..sidecar.plan import Plan, open_beside, still_holding
from ..sidecar.sidecar_form import SidecarFilters, SidecarForm
from ..storage import BatchedSource, LocalSource, Target
from .file import File
from .file import open as open_file

STALE, UNUSED = "sidecar-stale", "sidecar-unused"


class PlannedFile(File):
    """An open file of form ``"sidecar"`` while its sidecar is valid, and then of a form of its footer."""

    __slots__ = ("_plan",)

    _plan: Plan

    @classmethod
    def _open_again(cls, target: str | Target) -> File:
        return open_planned(target)

    def _blooms(self, form: FooterReader, types: Mapping[str, pa.DataType]) -> BloomFilters:
        parts = form, self._source, self._gathered, types
        return SidecarFilters(self._plan, *parts) if self.form == "sidecar" else BloomFilters(*parts)

    def _has_next_form(self) -> bool:
        return self.form == "sidecar" or super()._has_next_form()

    def _leave_form(self, error: Damaged) -> None:
        if self.form != "sidecar":
            return super()._leave_form(error)
        name, following, findings = best_form(self._source)
        self.findings.extend([Finding.of(UNUSED, error, "sidecar"), *findings])
        self.form, self._form = name, following


def open_planned(path) -> File:
    """Open a file by its sidecar; if no sidecar matches the file, open it by its footer.

    If there is a sidecar that cannot be used, the file has a finding. Open files and bytes in memory have no sidecar.

    Raises
    ------
    OSError, ParquetextError
        As in `open`.
    """
    target = readable(path)
    if target.is_open:
        return open_file(target)
    source = LocalSource(target.path) if target.is_local else BatchedSource(target)
    try:
        source.identify()
        plan = open_beside(target, source=source)
        form = SidecarForm.of(plan)
        if form is None:
            raise Unsupported("the sidecar carries nothing for slices", file=plan.sidecar)
    except FileNotFoundError:
        source.close()
        return open_file(target)
    except (Damaged, Unsupported, ParquetextError) as error:
        source.close()
        file = open_file(target)
        file.findings.append(Finding.of(STALE if isinstance(error, Damaged) else UNUSED, error, "sidecar"))
        return file
    except BaseException:
        source.close()
        raise
    file = PlannedFile(str(target), source, "sidecar", form)
    file._plan = plan
    return file


def row_groups_left(plan: Plan, file: File, filters: object) -> list[int] | None:
    """Return the row groups of an open file that a plan does not rule out, or None for all.

    If the plan contains a note of the file, it is compared with the present file. Otherwise the caller guarantees that
    the plan matches.

    Raises
    ------
    Damaged
        If the plan was made for a file of another size or content.
    """
    size, footer = file._source.size, plan.footer
    planned = footer.parquet_footer_offset + footer.parquet_footer_length + LENGTH_AND_MAGIC
    if planned != size:
        raise Damaged(f"the plan is of a file of {planned} bytes, this one has {size}", file=str(file.path))
    plan = still_holding(plan, file._source)
    return None if filters is None else plan.surviving(predicate_of(filters))
