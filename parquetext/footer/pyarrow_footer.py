"""Convert slices of a footer to pyarrow's objects."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from functools import lru_cache

import pyarrow as pa
from pyarrow._parquet import FileMetaData, ParquetReader

from .. import kernels, wire
from ..errors import LimitExceeded, Malformed, ParquetextError
from .model import FooterReader
from .path_sizes import check_paths
from .thrift_form import ThriftForm

MAGIC = b"PAR1"
KEPT_BYTES = 1 << 14
LONG_FOOTER = 1 << 16  # whose paths may take much
MOST_KEPT_KEY_VALUES = 1 << 22
_last_key_values: list[tuple[bytes, pa.KeyValueMetadata | None]] = [(b"", None)]
ARROW_SCHEMA, EXTENSION_NAME = b"ARROW:schema", b"ARROW:extension:name"


def reader_of(footer: bytes | memoryview, **options) -> ParquetReader:
    """Return a reader of a file that contains only this Thrift footer; options are those of `ParquetReader.open`.

    Raises
    ------
    Malformed
        If the footer lacks a field that pyarrow requires, or has an ARROW:schema that only pyarrow rejects; the error
        has no offset.
    pyarrow.ArrowException, OSError
        If pyarrow rejects it for another reason.
    """
    try:
        return _opened(footer, options)
    except (MemoryError, LimitExceeded):
        raise
    except (pa.ArrowException, OSError) as error:
        missing, _ = kernels.required.find_missing(footer)
        if missing is not None:
            raise Malformed(
                f"a {missing.structure} without {missing.field} (field {missing.id}), which pyarrow requires",
                code=wire.MISSING_FIELD,
            ) from error
        if _is_read_without_arrow_schema(footer, options):
            raise Malformed(f"ARROW:schema: pyarrow refuses it: {error}", code=wire.ARROW_SCHEMA) from error
        raise


def with_known_dictionaries(options: Mapping, metadata: FileMetaData) -> dict:
    """Return the options with only those names of `read_dictionary` that are in the footer; pyarrow rejects others."""
    schema = metadata.schema
    known = {schema.column(leaf).path for leaf in range(metadata.num_columns)}
    return {**options, "read_dictionary": [name for name in options["read_dictionary"] if name in known]}


def _opened(footer: bytes | memoryview, options: Mapping) -> ParquetReader:
    if len(footer) > LONG_FOOTER:
        check_paths(kernels.scan.scan(footer, strict=False))
    reader = ParquetReader()
    if options.get("read_dictionary"):
        options = with_known_dictionaries(options, metadata_of(footer))
    whole = b"".join((MAGIC, footer, len(footer).to_bytes(4, "little"), MAGIC))
    reader.open(pa.BufferReader(whole), **{"arrow_extensions_enabled": True, **options})
    return reader


def _is_read_without_arrow_schema(footer: bytes | memoryview, options: Mapping) -> bool:
    try:
        scan = kernels.scan.scan(footer)
        _opened(kernels.slice.slice_footer(scan, range(scan.leaf_count), [], arrow_schema=False), options)
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, ParquetextError):
        return False
    return scan.has_key_values


def metadata_of(footer: bytes | memoryview) -> FileMetaData:
    """Return the FileMetaData that pyarrow takes as `metadata=`.

    It is created by a reader, because pyarrow ends the process if unpickling or copying an invalid FileMetaData fails.
    """
    return reader_of(footer).metadata


def schema_of(footer: bytes, **options) -> pa.Schema:
    """Return the Arrow schema as pyarrow reads it, with options of its reader.

    Small ones are cached: the files of a dataset and the queries of a file share them.
    """
    if options or len(footer) > KEPT_BYTES:
        return reader_of(footer, **options).schema_arrow
    return _kept_schema(footer)


@lru_cache(maxsize=1 << 8)
def _kept_schema(footer: bytes) -> pa.Schema:
    return reader_of(footer).schema_arrow


def has_extension_types(footer: bytes) -> bool:
    """Return True if ARROW:schema contains an extension type, even one unknown to pyarrow."""
    form = ThriftForm(footer)
    pairs = dict(form.key_value(index) for index in range(form.key_value_count))
    try:
        return EXTENSION_NAME in base64.b64decode(pairs.get(ARROW_SCHEMA) or b"")
    except ValueError:
        return False


def key_values_of(form: FooterReader) -> pa.KeyValueMetadata | None:
    """Return a footer's key-values for a table's schema: without ARROW:schema, None if there are no others.

    As in pyarrow, a key without a value gets an empty one.
    """
    pairs = (form.key_value(index) for index in range(form.key_value_count))
    found = [(key, value or b"") for key, value in pairs if key != ARROW_SCHEMA]
    return pa.KeyValueMetadata(found) if found else None


def kept_key_values_of(form: ThriftForm) -> pa.KeyValueMetadata | None:
    """Return `key_values_of`, cached for the last footer: reads of one file share them, and pyarrow copies texts."""
    if not form.key_value_count:
        return None
    begins, lengths = (form.scan.key_values(f"bytes_{name}") for name in ("offset", "length"))
    stored = bytes(memoryview(form.scan.data)[begins[0] : begins[-1] + lengths[-1]])
    kept = _last_key_values[0]
    if kept[0] != stored:
        kept = stored, key_values_of(form)
        if len(stored) <= MOST_KEPT_KEY_VALUES:
            _last_key_values[0] = kept
    return kept[1]


def undecodable_name(fields: Iterable[pa.Field]) -> bytes | None:
    """Return the first name that is not UTF-8: pyarrow accepts it, and fails as soon as it is accessed."""
    for field in fields:
        try:
            str(field.name)
        except UnicodeDecodeError as error:
            return error.object
        if pa.types.is_nested(field.type):
            found = undecodable_name(field.type.field(index) for index in range(field.type.num_fields))
            if found is not None:
                return found
    return None


def whole_schema(form: FooterReader, **options) -> pa.Schema:
    """Return the Arrow schema of a file with its metadata: those in ARROW:schema if there is one, else the key-values.

    Options are those of pyarrow's reader.
    """
    schema = schema_of(form.slice(range(form.leaf_count), [], key_values=True), **options)
    pairs = (form.key_value(index) for index in range(form.key_value_count))
    text = next((value for key, value in pairs if key == ARROW_SCHEMA and value is not None), None)
    if text is None:
        return schema
    try:
        stored = pa.ipc.read_schema(pa.BufferReader(base64.b64decode(text)))
    except (pa.ArrowException, OSError, ValueError):
        return schema
    return schema.with_metadata(stored.metadata)
