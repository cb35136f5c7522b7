"""The result of a change for one file."""

from __future__ import annotations

from dataclasses import dataclass

from ..masking import without_secrets
from ..tabular import Listing, Shown, Tabular, chosen

MOST_LETTERS = 120  # of an omitted field


@dataclass(frozen=True, slots=True, repr=False)
class Result(Tabular):
    """The outcome for one file.

    Attributes
    ----------
    path : str
    outcome : str
        ``"upgraded"``, ``"stripped"``, ``"finalized"``, ``"restored"``, ``"recovered"`` or ``"unchanged"``; in a dry
        run ``"would-upgrade"`` and so on. For the files of a directory also ``"refused"`` or ``"failed"``.
    form_before, form_after : str
        ``"flat"`` if the footer has a flat block, ``"arrow"`` if it has one in the arrow dialect only, ``"index"``,
        ``"par3"``, otherwise ``"thrift"``; empty if the footer was not read.
    bytes_before, bytes_after : int
        The file's size.
    bytes_read, bytes_written : int
        Traffic of the whole change; bytes that are copied to a new file count as written.
    seconds : float
    message : str
        Details of the change, the reason if nothing was changed, and the recovery of an interrupted change.
    omitted : tuple of footer.losses.Loss
        The fields that the new form omits or shortens; the Thrift footer still contains them. Always empty
        except in the arrow dialect.
    """

    path: str
    outcome: str
    form_before: str = ""
    form_after: str = ""
    bytes_before: int = 0
    bytes_after: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    seconds: float = 0.0
    message: str = ""
    omitted: tuple[object, ...] = ()

    def _shown(self) -> Shown:
        fields = [
            ("outcome", self.outcome),
            ("footer", _change(self.form_before, self.form_after)),
            ("bytes", _change(f"{self.bytes_before:,}", f"{self.bytes_after:,}") if self.bytes_before else None),
            ("read", self.bytes_read),
            ("written", self.bytes_written),
            ("seconds", f"{self.seconds:.3g}"),
            ("message", without_secrets(self.message) or None),
        ]
        rows = [(str(self.omitted[number]),) for number in chosen(len(self.omitted))]
        omitted = Listing(("omitted field",), rows, len(self.omitted), "omitted fields", MOST_LETTERS)
        return Shown(f"parquetext.Result {without_secrets(self.path)}", fields, [omitted])


def _change(before: str, after: str) -> str | None:
    """Return both values, or the only one."""
    return f"{before} → {after}" if before != after and before and after else after or before or None
