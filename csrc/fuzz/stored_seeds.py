"""Write column chunks of every codec of the kernels to a folder, with dictionaries whose values come late.

python csrc/fuzz/stored_seeds.py FOLDER
"""

from __future__ import annotations

import io
import struct
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

CODECS = {"none": 0, "snappy": 1, "lz4": 7, "zstd": 6}
TYPES = {"BOOLEAN": 0, "INT32": 1, "INT64": 2, "BYTE_ARRAY": 6, "FIXED_LEN_BYTE_ARRAY": 7}
IS_OPTIONAL = 8
ROWS, WIDTH = 700, 64
FEW = bytes([0x21, 0x11])  # skip a share, read two, skip one, read one


def chunks() -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    fixed = [b"%064d" % row for row in range(ROWS)]
    table = pa.table(
        {
            "fixed": pa.array(fixed, pa.binary(WIDTH)),
            "holes": pa.array([None if row % 5 == 0 else fixed[row] for row in range(ROWS)], pa.binary(WIDTH)),
            "text": [f"text {row // 3}" for row in range(ROWS)],
            "flag": [row % 7 < 3 for row in range(ROWS)],
            "number": pa.array([None if row % 9 == 0 else row for row in range(ROWS)], pa.int64()),
        }
    )
    for codec, version, page_size, has_dictionary in product(CODECS, ("1.0", "2.0"), (2000, 1 << 20), (True, False)):
        file = io.BytesIO()
        options = {"data_page_version": version, "data_page_size": page_size, "use_dictionary": has_dictionary}
        pq.write_table(table, file, compression=codec, write_batch_size=50, **options)
        row_group = pq.read_metadata(file).row_group(0)
        for column in map(row_group.column, range(row_group.num_columns)):
            file.seek(column.dictionary_page_offset or column.data_page_offset)
            kind = TYPES[column.physical_type] | IS_OPTIONAL
            steering = struct.pack("<4BH", kind, WIDTH - 1, CODECS[codec], 0, ROWS) + FEW
            yield file.read(column.total_compressed_size) + steering


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, chunk in enumerate(chunks()):
        (folder / f"{number:03d}").write_bytes(chunk)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
