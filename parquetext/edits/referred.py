"""Add a form to which a field of the Thrift footer refers, and remove it: its payload precedes the footer."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import ParquetextError, Refused
from ..footer.form_spec import BuildOptions, FormSpec
from ..footer.forms import best_name
from ..footer.thrift_form import refuse_encrypted
from ..storage import TailEdit
from .final_footer import applied
from .footer import Footer, parse_end
from .options import Options
from .pieces import form_in
from .renewal import RECORDS, kept_pieces, renewed_end
from .run import Planned

MOST_ROUNDS = 4  # of lengths that depend on each other; blocks that are built again keep their sizes


def with_reference(footer: Footer, spec: FormSpec, options: Options, ignored: frozenset[str]) -> Planned:
    """Plan to add a form to which the Thrift footer refers; the edit is None if the footer already has just that."""
    edit = referring(unreferring(footer, ignored), spec, ignored, options.wrap)
    form = best_name([form_in(footer.pieces), spec.name])
    if _is_there(footer, edit):
        return Planned(None, form, reason=f"it has its {spec.title}")
    return Planned(edit, form, reason=spec.warning)


def keeping_reference(footer: Footer, plan: Callable[[Footer], Planned], ignored: frozenset[str]) -> Planned:
    """Return the plan for a footer without the form to which it refers, after which that form is added again."""
    if footer.referred is None:
        return plan(footer)
    base, spec = unreferring(footer, ignored), footer.referred.spec
    planned = plan(base)
    edit = referring(applied(base, planned.edit), spec, ignored)
    form = best_name([planned.form, spec.name])
    return planned._replace(edit=None if _is_there(footer, edit) else edit, form=form)


def without_reference(footer: Footer, plan: Callable[[Footer], TailEdit | None], ignored: frozenset[str]) -> TailEdit:
    """Return the edit that removes the form to which a footer refers, and applies the edit of `plan`."""
    base = unreferring(footer, ignored)
    return TailEdit(base.start, applied(base, plan(base)).whole_end)


def _is_there(footer: Footer, edit: TailEdit) -> bool:
    """Return True if an edit writes the same bytes."""
    referred, payload = footer.referred, footer.referred_payload
    if referred is None or payload is None or edit.keep != referred.start:
        return False
    return edit.tail == payload + footer.whole_end


def referring(footer: Footer, spec: FormSpec, ignored: frozenset[str], wrap: bool = False) -> TailEdit:
    """Return the edit that adds a form to a footer that refers to none; the blocks of ours are built again.

    Raises
    ------
    Refused
        If the field is in use, or if blocks of the extension record an earlier state of the file.
    Unsupported
        If the form cannot represent the footer.
    """
    if any(piece.uuid in RECORDS for piece in footer.pieces):
        raise Refused(f"the file records its state from before encode or add_page_index: no {spec.title} is added")
    spec.check_addable(footer.bare)
    kept, start = kept_pieces(footer, ignored, wrap), footer.start
    scan = Footer(footer.bare, start, None, ()).scan()
    refuse_encrypted(scan)
    payload = spec.build(scan, BuildOptions()).payload
    length = len(footer.bare)
    for _ in range(MOST_ROUNDS):
        struct = spec.with_reference(footer.bare, start, len(payload), length)
        end = renewed_end(footer, struct, start + len(payload), kept, {}, ignored)
        new = parse_end(end, start + len(payload))
        if len(new.data) == length:
            return TailEdit(start, payload + end)
        length = len(new.data)
    raise ParquetextError(f"the length of a footer with a {spec.title} does not settle")


def unreferring(footer: Footer, ignored: frozenset[str] = frozenset()) -> Footer:
    """Return the footer without the form to which it refers, at its former offset."""
    if footer.referred is None:
        return footer
    start = footer.referred.start
    end = renewed_end(footer, footer.unreferring, start, kept_pieces(footer, ignored, wrap=False), {}, ignored)
    return parse_end(end, start)
