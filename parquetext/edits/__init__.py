"""Operations on whole files, one module per operation."""

from __future__ import annotations

from .add_page_index import add_page_index
from .advice import Advice, ColumnAdvice, Estimate, advise
from .drop_original_encoding import WITHOUT_ALP, drop_original_encoding
from .encode import encode
from .encoding_names import paired
from .finalize import ONLY_PARQUETEXT, check_confirmed, finalize
from .joining import CopiedFile
from .many import each, expand, many
from .merge import merge
from .options import IGNORABLE
from .recover import recover
from .restore import restore
from .result import Result
from .split import split
from .strip import strip
from .upgrade import upgrade

__all__ = [
    "WITHOUT_ALP",
    "Advice",
    "ColumnAdvice",
    "CopiedFile",
    "Estimate",
    "IGNORABLE",
    "ONLY_PARQUETEXT",
    "Result",
    "add_page_index",
    "advise",
    "check_confirmed",
    "each",
    "drop_original_encoding",
    "encode",
    "expand",
    "finalize",
    "many",
    "merge",
    "paired",
    "recover",
    "restore",
    "split",
    "strip",
    "upgrade",
]
