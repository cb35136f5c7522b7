"""Facts of a Thrift footer that a form does not store."""

from __future__ import annotations

from ..records import frozen


@frozen
class Loss:
    """A field that a form does not store, or a bound that it shortens: the number of times, and the first place.

    `form` is the form's title in messages, `kind` says how the field is lost.
    """

    form: str
    field: str
    kind: str
    count: int
    first: str

    def __str__(self) -> str:
        more = f" and {self.count - 1:,} more" if self.count > 1 else ""
        return f"{self.form}: {self.field} is {self.kind}: {self.first}{more}"
