"""Derive columns from the names of files and directories, by a partitioning of pyarrow.dataset."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pyarrow as pa

from ... import compute as pc
from .discovery import Files, partition_schema

if TYPE_CHECKING:
    import pyarrow.dataset as ds

HIVE = "hive"


@dataclass(frozen=True)
class PartitionKeys:
    """The keys of many files.

    Attributes
    ----------
    schema : pyarrow.Schema
        The keys' fields.
    values : mapping of str to pyarrow.Array
        The values of each key, one per file; null if the file has none.
    names : sequence of frozenset
        The keys of each file.
    scheme : pyarrow.dataset.Partitioning, "hive" or None
        pyarrow's object is created only when it is requested.
    """

    schema: pa.Schema
    values: Mapping[str, pa.Array]
    names: Sequence[frozenset[str]]
    scheme: str | ds.Partitioning | None = None

    def groups(self) -> list[tuple[frozenset[str], Sequence[int]]]:
        """Group the files by their keys."""
        distinct = set(self.names)
        if len(distinct) == 1:
            return [(next(iter(distinct)), range(len(self.names)))]
        found: dict[frozenset[str], list[int]] = {}
        for number, names in enumerate(self.names):
            found.setdefault(names, []).append(number)
        return list(found.items())

    def partitioning(self) -> ds.Partitioning:
        """Return the partitioning as a pyarrow object."""
        import pyarrow.dataset as ds

        if self.scheme is None:
            return ds.DirectoryPartitioning(self.schema)
        if self.scheme != HIVE:
            return self.scheme
        return _hive(self.schema, {name: values.unique().drop_null() for name, values in self.values.items()})


def _hive(fields: pa.Schema, values: Mapping[str, pa.Array]) -> ds.HivePartitioning:
    """Return a partitioning of directories named by keys, with the values of each key.

    If pyarrow infers the same fields from these values, its inferred partitioning is returned.
    """
    import pyarrow.dataset as ds

    texts = [(name, text) for name, some in values.items() for text in some.cast(pa.string()).to_pylist()]
    paths = [f"{name}={quote(text, safe='')}/file" for name, text in texts]
    found, partitioning, _ = _ask_pyarrow(paths, ds.HivePartitioning.discover(), None, "")
    return partitioning if found == fields else ds.HivePartitioning(fields, values)


def check_partitioning(scheme: object) -> str | ds.Partitioning | ds.PartitioningFactory | None:
    """Return a partitioning in a form that pyarrow.dataset accepts.

    Raises
    ------
    ValueError
        If it is not a partitioning.
    """
    if scheme is None or scheme == HIVE:
        return scheme
    import pyarrow.dataset as ds

    if isinstance(scheme, str):
        return ds.partitioning(flavor=scheme)
    if isinstance(scheme, list):
        return ds.partitioning(field_names=scheme)
    if isinstance(scheme, (ds.Partitioning, ds.PartitioningFactory)):
        return scheme
    raise ValueError(
        f"Expected Partitioning or PartitioningFactory, got {type(scheme)}: partitioning is 'hive', None, a list of "
        "names, or what pyarrow.dataset.partitioning gives"
    )


def partition_keys(
    found: Files, scheme: str | ds.Partitioning | ds.PartitioningFactory | None, schema: pa.Schema | None, base: str
) -> PartitionKeys:
    """Return the keys of files by a checked partitioning, with the types of `schema` if that is given.

    Parameters
    ----------
    base : str
        The directory below which names are parsed. Files elsewhere have no keys. If it is empty, whole paths are
        parsed.
    """
    if scheme is None:
        return PartitionKeys(pa.schema([]), {}, [frozenset()] * len(found))
    if scheme != HIVE or (base and found.base != base):
        return _by_pyarrow(found.paths, scheme, schema, base)
    fields = partition_schema(found.keys)
    values = {}
    for field in fields:
        kind = field.type if schema is None else _type_in(schema, field)
        if kind is not None:
            values[field.name] = cast_keys(pa.array([keys.get(field.name) for keys in found.keys], pa.string()), kind)
    sets = {id(keys): frozenset(keys) for keys in found.keys}
    return PartitionKeys(fields, values, [sets[id(keys)] for keys in found.keys], HIVE)


def cast_keys(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Cast the values of keys to a type, which may be a dictionary type."""
    if not pa.types.is_dictionary(kind):
        return values.cast(kind)
    encoded = values.cast(kind.value_type).dictionary_encode()
    indices = encoded.indices.cast(kind.index_type)
    return pa.DictionaryArray.from_arrays(indices, encoded.dictionary, ordered=kind.ordered)


def _type_in(schema: pa.Schema, field: pa.Field) -> pa.DataType | None:
    return schema.field(field.name).type if field.name in schema.names else None


def _by_pyarrow(
    paths: Sequence[str], scheme: str | ds.Partitioning | ds.PartitioningFactory, schema: pa.Schema | None, base: str
) -> PartitionKeys:
    """Parse names with pyarrow's partitioning, one path per directory, or all paths if file names matter."""
    import pyarrow.dataset as ds

    if scheme == HIVE:
        scheme = ds.HivePartitioning.discover()
    by_name = isinstance(scheme, ds.FilenamePartitioning) or getattr(scheme, "type_name", None) == "filename"
    folders = list(paths) if by_name else [posixpath.dirname(path) for path in paths]
    distinct = list(dict.fromkeys(folders))
    asked = distinct if by_name else [posixpath.join(folder, "file") for folder in distinct]
    fields, partitioning, message = _ask_pyarrow(asked, scheme, schema, base)

    positions = {folder: position for position, folder in enumerate(distinct)}
    owners = [positions[folder] for folder in folders]
    names = [frozenset(keys) for keys in message]
    return PartitionKeys(
        fields, _typed(message, fields, partitioning, owners), [names[owner] for owner in owners], partitioning
    )


def _ask_pyarrow(
    paths: list[str], scheme: ds.Partitioning | ds.PartitioningFactory, schema: pa.Schema | None, base: str
) -> tuple[pa.Schema, ds.Partitioning, list[dict[str, Any]]]:
    """Return the keys' fields, the inferred partitioning, and the keys of each path. No file is opened."""
    import pyarrow.dataset as ds
    import pyarrow.fs as pafs

    options = ds.FileSystemFactoryOptions(
        partition_base_dir=base, partitioning=scheme, exclude_invalid_files=False, selector_ignore_prefixes=[]
    )
    factory = ds.FileSystemDatasetFactory(pafs.LocalFileSystem(), paths, ds.ParquetFileFormat(), options)
    fields = factory.inspect(fragments=0)
    # Arrow looks up each key in the schema, so keys that the schema lacks are added in their inferred type
    if schema is not None:
        fields_of_rows = [*schema, *(field for field in fields if field.name not in schema.names)]
    found = factory.finish(fields if schema is None else pa.schema(fields_of_rows))
    message = {one.path: ds.get_partition_keys(one.partition_expression) for one in found.get_fragments()}
    return fields, found.partitioning, [message[path] for path in paths]


def _typed(
    parsed: Sequence[Mapping[str, Any]], fields: pa.Schema, partitioning: ds.Partitioning, owners: Sequence[int]
) -> dict[str, pa.Array]:
    """Return the values of each key, one per file; dictionary keys use pyarrow's dictionary, which all files share."""
    chosen = pa.array(owners, pa.int64())
    typed = partitioning.schema
    dictionaries = dict(zip(typed.names, getattr(partitioning, "dictionaries", ()), strict=False))
    values = {}
    for field in fields:
        kind = typed.field(field.name).type if field.name in typed.names else field.type
        plain = [keys.get(field.name) for keys in parsed]
        if pa.types.is_dictionary(kind) and dictionaries.get(field.name) is not None:
            dictionary = dictionaries[field.name]
            indices = pc.index_in(pa.array(plain, kind.value_type), dictionary)
            column = pa.DictionaryArray.from_arrays(indices.cast(kind.index_type), dictionary)
        else:
            column = cast_keys(pa.array(plain, kind.value_type if pa.types.is_dictionary(kind) else kind), kind)
        values[field.name] = column.take(chosen)
    return values
