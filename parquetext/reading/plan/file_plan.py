"""Plan a read of an open file, on the form of its footer that is in use, or on the next if that form is damaged."""

from __future__ import annotations

from ...footer.arrow_errors import ArrowUnsupported
from ...footer.facade import File
from ...footer.path_sizes import check_form
from ..request.read_request import Request
from .read_plan import Plan, plan_read

__all__ = ["plan_file"]


def plan_file(file: File, request: Request) -> Plan:
    """Plan a read of a file.

    Raises
    ------
    ArrowUnsupported
        If the read needs the Thrift footer, and the file has none.
    """
    plan = file._on_form(lambda form: plan_read(form, request, file._blooms))
    if not plan.is_sliced:
        file._on_form(check_form)  # pyarrow reads the whole footer
        if file.spec.is_final:
            message = "not readable by a slice, and a PAR3 file has no Thrift footer; parquetext.restore brings it back"
            raise ArrowUnsupported(message, file=str(file.path))
    return plan
