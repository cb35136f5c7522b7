"""Changes of whole files, one verb each."""

from __future__ import annotations

from .forcing import FORCEABLE
from .many import each, expand, many
from .recover import recover
from .result import Result
from .strip import strip
from .upgrade import upgrade

__all__ = ["FORCEABLE", "Result", "each", "expand", "many", "recover", "strip", "upgrade"]
