"""Convert logical types to text, and back."""

from __future__ import annotations

import re

from ..footer.elements import LogicalType

__all__ = ["parsed", "text_of"]

_SHAPE = re.compile(r"(\w+)(?:\((.*)\))?")


def text_of(logical: LogicalType | None) -> str | None:
    """Format an annotation with its parameters: ``DECIMAL(18,2)``, ``TIMESTAMP(us,utc)``, ``INTEGER(8,unsigned)``."""
    if logical is None:
        return None
    if logical.name == "DECIMAL":
        return f"DECIMAL({logical.precision},{logical.scale})"
    if logical.name == "INTEGER":
        return f"INTEGER({logical.bits},{'signed' if logical.signed else 'unsigned'})"
    if logical.name in ("TIME", "TIMESTAMP"):
        return f"{logical.name}({logical.unit or 'unknown'},{'utc' if logical.utc else 'local'})"
    return logical.name


def parsed(text: str | None) -> LogicalType | None:
    """Parse the result of `text_of`; return None for other text."""
    match = None if text is None else _SHAPE.fullmatch(text)
    if match is None:
        return None
    name, arguments = match[1], (match[2] or "").split(",")
    try:
        if name == "DECIMAL":
            return LogicalType(name, precision=int(arguments[0]), scale=int(arguments[1]))
        if name == "INTEGER":
            return LogicalType(name, bits=int(arguments[0]), signed=arguments[1] == "signed")
        if name in ("TIME", "TIMESTAMP"):
            return LogicalType(
                name, unit=None if arguments[0] == "unknown" else arguments[0], utc=arguments[1] == "utc"
            )
    except (ValueError, IndexError):
        return None
    return LogicalType(name)
