"""Fast, extensible footers for Parquet files, readable by every existing reader.

Files
    ``open``, ``File``, ``Form``, ``Column``, ``RowGroups``, ``dataset``, ``Dataset``, ``layout``, ``Layout``,
    ``verify``, ``Report``
Changes of files
    ``upgrade``, ``strip``, ``finalize``, ``restore``, ``recover``, ``encode``, ``advise``, ``Advice``,
    ``drop_original_encoding``, ``add_page_index``, ``merge``, ``split``, ``Result``
Other engines and many files
    ``scan_polars``, ``register_duckdb``, ``plan``
Filters
    ``bbox_intersects``
Modules
    ``c_library``, ``catalog``, ``encoding``, ``errors``, ``extension``, ``footer``, ``sidecar``, ``spark``, ``torch``
Implementation
    ``implementation``
Drop-in names: the parameters and results of ``pyarrow.parquet``, with fast footers
    ``read_table``, ``read_pandas``, ``read_schema``, ``read_metadata``, ``write_table``, ``write_to_dataset``,
    ``write_metadata``, ``ParquetFile``, ``ParquetDataset``, ``ParquetWriter``, ``FileMetaData``, ``RowGroupMetaData``
Names of ``pyarrow.parquet`` itself
    ``ColumnChunkMetaData``, ``ColumnSchema``, ``FileDecryptionProperties``, ``FileEncryptionProperties``,
    ``ParquetLogicalType``, ``ParquetReader``, ``ParquetSchema``, ``SortingColumn``, ``Statistics``,
    ``filters_to_expression``
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

from .lazy_names import homes_of

__version__ = "0.1.0"

if sys.version_info < (3, 11):  # noqa: UP036  # a zip that Spark ships is not installed, so nothing else checks this
    raise ImportError("parquetext needs Python 3.11 or later; this is Python {}.{}".format(*sys.version_info[:2]))

# Public names and the modules that define them; a module is imported when its name is first used.
_OURS = homes_of(
    """
    .arrow.file: open File
    .footer.forms: Form
    .arrow.datasets.dataset: dataset Dataset
    .edits: upgrade add_page_index drop_original_encoding encode advise strip finalize restore recover
    .edits: merge split Advice Result
    .inspection.integrity: verify
    .footer.columns: Column
    .inspection.layout.layout: Layout
    .inspection.integrity.report: Report
    .footer.row_groups: RowGroups
    .pruning.boxes: bbox_intersects
    .kernels: implementation
    .catalog: plan
    .inspection.layout: layout
    .engines: scan_polars register_duckdb
    """
)
# The names, parameters and results of pyarrow.parquet, with fast footers.
_DROP_IN = homes_of(
    """
    .arrow.tables: read_table read_pandas read_schema
    .arrow.parquet_file: read_metadata ParquetFile
    .arrow.writing.writer: write_table ParquetWriter
    .arrow.writing.dataset_writing: write_to_dataset
    .arrow.datasets.metadata_files: write_metadata
    .arrow.parquet_dataset: ParquetDataset
    .arrow.metadata: FileMetaData RowGroupMetaData
    """
)
# Names of pyarrow.parquet itself: its classes work with the files and metadata of this package.
_PYARROWS = homes_of(
    """
    pyarrow.parquet: ColumnChunkMetaData ColumnSchema FileDecryptionProperties FileEncryptionProperties
    pyarrow.parquet: ParquetLogicalType ParquetReader ParquetSchema SortingColumn Statistics filters_to_expression
    """
)
_HOMES = _OURS | _DROP_IN | _PYARROWS
_MODULES = {
    "arrow",
    "c_library",
    "catalog",
    "edits",
    "encoding",
    "engines",
    "errors",
    "extension",
    "findings",
    "footer",
    "inspection",
    "kernels",
    "pruning",
    "sidecar",
    "spark",
    "storage",
    "torch",
}

__all__ = [
    *_HOMES,
    *("c_library", "catalog", "encoding", "errors", "extension", "footer", "sidecar", "spark", "torch"),
]

if TYPE_CHECKING:
    from pyarrow.parquet import ColumnChunkMetaData as ColumnChunkMetaData
    from pyarrow.parquet import ColumnSchema as ColumnSchema
    from pyarrow.parquet import FileDecryptionProperties as FileDecryptionProperties
    from pyarrow.parquet import FileEncryptionProperties as FileEncryptionProperties
    from pyarrow.parquet import ParquetLogicalType as ParquetLogicalType
    from pyarrow.parquet import ParquetReader as ParquetReader
    from pyarrow.parquet import ParquetSchema as ParquetSchema
    from pyarrow.parquet import SortingColumn as SortingColumn
    from pyarrow.parquet import Statistics as Statistics
    from pyarrow.parquet import filters_to_expression as filters_to_expression

    from . import c_library as c_library
    from . import catalog as catalog
    from . import encoding as encoding
    from . import errors as errors
    from . import extension as extension
    from . import footer as footer
    from . import sidecar as sidecar
    from . import spark as spark
    from . import torch as torch
    from .arrow.datasets.dataset import Dataset as Dataset
    from .arrow.datasets.dataset import dataset as dataset
    from .arrow.datasets.metadata_files import write_metadata as write_metadata
    from .arrow.file import File as File
    from .arrow.file import open as open
    from .arrow.metadata import FileMetaData as FileMetaData
    from .arrow.metadata import RowGroupMetaData as RowGroupMetaData
    from .arrow.parquet_dataset import ParquetDataset as ParquetDataset
    from .arrow.parquet_file import ParquetFile as ParquetFile
    from .arrow.parquet_file import read_metadata as read_metadata
    from .arrow.tables import read_pandas as read_pandas
    from .arrow.tables import read_schema as read_schema
    from .arrow.tables import read_table as read_table
    from .arrow.writing.dataset_writing import write_to_dataset as write_to_dataset
    from .arrow.writing.writer import ParquetWriter as ParquetWriter
    from .arrow.writing.writer import write_table as write_table
    from .catalog.planning import plan as plan
    from .edits.add_page_index import add_page_index as add_page_index
    from .edits.advice import Advice as Advice
    from .edits.advice import advise as advise
    from .edits.drop_original_encoding import drop_original_encoding as drop_original_encoding
    from .edits.encode import encode as encode
    from .edits.finalize import finalize as finalize
    from .edits.merge import merge as merge
    from .edits.recover import recover as recover
    from .edits.restore import restore as restore
    from .edits.result import Result as Result
    from .edits.split import split as split
    from .edits.strip import strip as strip
    from .edits.upgrade import upgrade as upgrade
    from .engines.duckdb_tables import register_duckdb as register_duckdb
    from .engines.polars_scan import scan_polars as scan_polars
    from .footer.columns import Column as Column
    from .footer.forms import Form as Form
    from .footer.row_groups import RowGroups as RowGroups
    from .inspection.integrity.report import Report as Report
    from .inspection.integrity.verify import verify as verify
    from .inspection.layout.layout import Layout as Layout
    from .inspection.layout.layout import layout as layout
    from .kernels import implementation as implementation
    from .pruning.boxes import bbox_intersects as bbox_intersects
else:

    def __getattr__(name: str) -> object:
        if name in _HOMES:
            value = getattr(importlib.import_module(_HOMES[name], __name__), name)
        elif name in _MODULES:
            return importlib.import_module(f".{name}", __name__)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
