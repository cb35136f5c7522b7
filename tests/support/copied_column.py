"""A file of one column that has a copy in another encoding, each of one page."""

from __future__ import annotations

from parquetext import kernels
from parquetext.encoding.carried import Carried, append_copy
from parquetext.encoding.registry import Encoding
from parquetext.thrift import values


def file_of_copy(
    encoding: Encoding,
    copy: bytes,
    chunk: bytes,
    count: int,
    *,
    kind: int,
    uncompressed: int,
    codec: int = 0,
    nulls: int = 0,
    repetition: int = 0,
) -> bytes:
    """A file of `copy`, a page whose body has `uncompressed` bytes, and of `chunk`, which both claim `count` rows."""
    begin, (copy_crc, chunk_crc) = 4 + len(copy), map(kernels.checksum.crc32, (copy, chunk))
    carried = Carried(
        encoding.id, encoding.uuid, codec, 4, len(copy), uncompressed, count, nulls, count, copy_crc,
        begin, len(chunk), chunk_crc, (len(copy),), (copy_crc,),
    )  # fmt: skip
    sizes = {"total_uncompressed_size": len(chunk), "total_compressed_size": len(chunk), "data_page_offset": begin}
    metadata = {"type": kind, "encodings": [0], "path_in_schema": ["x"], "codec": 0, "num_values": count, **sizes}
    schema = [{"name": "root", "num_children": 1}, {"name": "x", "type": kind, "repetition_type": repetition}]
    groups = [{"columns": [{"file_offset": 0, "meta_data": metadata}], "total_byte_size": 1, "num_rows": count}]
    footer = values.write("FileMetaData", {"version": 2, "schema": schema, "num_rows": count, "row_groups": groups})
    plain = values.write("ColumnMetaData", metadata)
    footer = footer.replace(plain, append_copy(plain, carried))
    return b"".join((b"PAR1", copy, chunk, footer, len(footer).to_bytes(4, "little"), b"PAR1"))
