"""What a change did to one file."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Result"]


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome for one file.

    Attributes
    ----------
    path : str
    outcome : str
        ``"upgraded"``, ``"stripped"``, ``"finalized"``, ``"restored"``, ``"recovered"`` or ``"unchanged"``; in a dry
        run ``"would-upgrade"`` and so on.
    form_before, form_after : str
        ``"flat"`` where the footer has a flat block, ``"arrow"`` where it has one in the arrow dialect only,
        ``"par3"``, otherwise ``"thrift"``; empty where nobody looked.
    bytes_before, bytes_after : int
        The file's size.
    bytes_read, bytes_written : int
        Traffic of the whole change; the bytes of the file that a new one takes over count as written.
    seconds : float
    message : str
        What was done, or why nothing was, in words, where the outcome does not say it, and what else is worth knowing:
        also what was done to what an interrupted change had left.
    losses : tuple of footer.dialect.differences.Loss
        What the new form does not carry, or shortened, by field; the Thrift footer beside it goes on having it. Empty
        but for the arrow dialect.
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
    losses: tuple = ()
