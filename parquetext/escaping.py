"""Show foreign names and messages on one line: characters that move a cursor or end a line become escapes."""

from __future__ import annotations

import json
import math
import re

# Control characters, ends of lines, marks that turn the direction of writing, and halves of surrogate pairs.
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def is_utf8(data: bytes) -> bool:
    """Return True if bytes are a text in UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def escaped(text: object) -> str:
    r"""Return the text for one line of a terminal; ``\n``, ``\x1b`` and ``\udcff`` represent other characters."""
    return _UNSHOWN.sub(_escape, str(text))


def json_line(record: object) -> str:
    """Return a JSON document on one line; it is valid and encodable for any names."""
    try:
        text = json.dumps(record, default=str, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(record), default=str, ensure_ascii=False, allow_nan=False)
    return _UNSHOWN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _finite(value: object) -> object:
    """Return the same with NaN and infinities as text, because JSON has no such numbers."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


def _escape(found: re.Match) -> str:
    letter = found[0]
    code = ord(letter)
    return _SHORT.get(letter) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
