"""Read files with one Python package: read.py PACKAGE FOLDER FILE…; FOLDER contains the package as installed by pip.

Like its siblings in other languages it prints one JSON document a line and file: rows, columns, and a digest of the
values as the reader shows them; or the error.
"""

import hashlib
import json
import sys


def polars(path):
    import polars

    frame = polars.read_parquet(path)
    return frame.columns, frame.rows()


def pyarrow(path):
    import pyarrow.parquet

    table = pyarrow.parquet.ParquetFile(path).read()
    return table.column_names, table.to_pylist()


def duckdb(path):
    import duckdb

    result = duckdb.connect().execute("SELECT * FROM read_parquet(?)", [path])
    return [name for name, *_ in result.description], result.fetchall()


def datafusion(path):
    import datafusion
    import pyarrow

    frame = datafusion.SessionContext().read_parquet(path)
    table = pyarrow.Table.from_batches(frame.collect())
    return table.column_names, table.to_pylist()


def fastparquet(path):
    import fastparquet

    frame = fastparquet.ParquetFile(path).to_pandas()
    return list(frame.columns), list(zip(*frame.to_dict("list").values(), strict=True))


def outcome(read, path):
    try:
        columns, rows = read(path)
    except BaseException as error:  # any error is its answer; a panic of Rust's is no Exception
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    return {"rows": len(rows), "columns": columns, "digest": hashlib.sha256(repr(rows).encode()).hexdigest()}


if __name__ == "__main__":
    _, package, folder, *paths = sys.argv
    sys.path.insert(0, folder)
    for path in paths:
        print(json.dumps(outcome(globals()[package], path)), flush=True)
