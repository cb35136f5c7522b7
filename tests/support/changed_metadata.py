"""Files whose footer or page indexes are changed, with their pages as they are."""

from __future__ import annotations

from parquetext import thrift

__all__ = ["with_footer", "with_indexes"]

INDEXES = {"ColumnIndex": "column_index", "OffsetIndex": "offset_index"}


def with_footer(path, change, before: bytearray | None = None) -> None:
    """The file anew, with its footer changed in place; with other bytes before it."""
    data = path.read_bytes()
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    footer = thrift.read("FileMetaData", data[end:-8])
    change(footer)
    written = thrift.write("FileMetaData", footer)
    path.write_bytes(
        bytes(data[:end] if before is None else before) + written + len(written).to_bytes(4, "little") + b"PAR1"
    )


def with_indexes(path, leaf: int, change) -> None:
    """Write the file again with the indexes of a leaf's chunks as `change` returns them.

    `change` takes a row group's number, its ColumnIndex and its OffsetIndex as values, and gives back two structs, each
    as values or as bytes; None leaves it out.
    """
    data = path.read_bytes()
    new = bytearray(data[: -8 - int.from_bytes(data[-8:-4], "little")])

    def changed(footer: dict) -> None:
        for row_group, fields in enumerate(footer["row_groups"]):
            chunk, found = fields["columns"][leaf], []
            for struct, name in INDEXES.items():
                at, length = chunk.pop(f"{name}_offset", None), chunk.pop(f"{name}_length", 0)
                found.append(None if at is None else thrift.read(struct, data[at : at + length]))
            for (struct, name), made in zip(INDEXES.items(), change(row_group, *found), strict=True):
                if made is not None:
                    made = made if isinstance(made, bytes) else thrift.write(struct, made)
                    chunk[f"{name}_offset"], chunk[f"{name}_length"] = len(new), len(made)
                    new.extend(made)

    with_footer(path, changed, new)
