"""Find the files that earlier runs have completed: compare their records with a new listing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa

from .. import compute as pc
from ..errors import ParquetextError
from ..masking import Names
from .actions import FAILED
from .filesystems import Filesystems
from .folders import Folder, Walk
from .results import RECORDS, read_table

# Errors that the same bytes give again; others may have passed.
LASTING = ("Malformed", "Damaged", "Unsupported")
SECOND = 10**9
# Records, and the file that each of them is from.
KNOWN = pa.schema([*RECORDS, ("part", pa.string())])
_READERS = 8
_MAY_HAVE_SECRETS = "://.*[@?#]"
_MASKED_QUERY = "[?#].*…"  # in a name: different files may have the same masked name


def done_before(filesystems: Filesystems, state: str, job: str) -> pa.Table:
    """Return the records of files that earlier runs of the same job have completed, killed runs included.

    Raises
    ------
    ParquetextError
        If a Parquet file in the folder is not a record: it is not the folder of a state.
    """
    parts = [path for path, *_ in Walk(filesystems).below(Folder(state, state))]
    with ThreadPoolExecutor(_READERS) as pool:
        recorded = pool.map(lambda url: _of_job(filesystems, url, job), parts)
        records = pa.concat_tables([KNOWN.empty_table(), *recorded])
    lasting = pc.or_kleene(pc.is_null(records["error"]), pc.is_in(records["error"], pa.array(LASTING)))
    return records.filter(lasting)


def _of_job(filesystems: Filesystems, url: str, job: str) -> pa.Table:
    try:
        records = read_table(filesystems, url, RECORDS.names).cast(RECORDS)
    except pa.ArrowException as error:
        raise ParquetextError("no record of a job, as the files of a state are", file=url) from error
    records = records.filter(pc.equal(records["job"], job))
    return records.append_column("part", pa.array([url] * records.num_rows, pa.string()))


def split(files: pa.Table, records: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the remaining files, with a column `name`, and the records of unchanged files.

    `name` is the path without the secrets of a URL, as in records, or null if the path has no secrets.

    A file is unchanged if its size and ETag are equal, or, if either side has no ETag, its size and time. A time of
    whole seconds equals any time in that second: object stores round times in requests for one object. For a name with
    a masked query, which may be that of another file, only the ETag counts.
    """
    files = files.append_column("name", _names_of(files["path"]))
    stored = pc.coalesce(files["name"], files["path"])
    numbered = files.append_column("file", pa.array(range(files.num_rows), pa.int64())).append_column("stored", stored)
    seen = numbered.select(["file", "stored", "size", "modified", "etag"]).rename_columns(
        ["file", "path", "size", "now", "tag"]
    )
    known = records.append_column("record", pa.array(range(records.num_rows), pa.int64()))
    pairs = seen.join(known.select(["record", "path", "size", "modified", "etag"]), ["path", "size"], join_type="inner")
    same = pairs.filter(_is_same(pairs)).group_by("file").aggregate([("record", "max")])
    done = pc.is_in(numbered["file"], same["file"].combine_chunks())
    return files.filter(pc.invert(done)), records.take(same["record_max"])


def _names_of(paths: pa.ChunkedArray) -> pa.Array:
    """Return names for the paths that have secrets, else null."""
    if not pc.any(pc.match_substring_regex(paths, _MAY_HAVE_SECRETS)).as_py():
        return pa.nulls(len(paths), pa.string())
    names = Names()
    return pa.array([None if (name := names.add(path)) == path else name for path in paths.to_pylist()], pa.string())


def _is_same(pairs: pa.Table) -> pa.ChunkedArray:
    tagged = pc.and_(pc.not_equal(pairs["tag"], ""), pc.not_equal(pairs["etag"], ""))
    same_time = _is_same_time(pairs["now"], pairs["modified"])
    by_time = pc.and_not(same_time, pc.match_substring_regex(pairs["path"], _MASKED_QUERY))
    return pc.if_else(tagged, pc.equal(pairs["tag"], pairs["etag"]), by_time)


def _is_same_time(one: pa.ChunkedArray, other: pa.ChunkedArray) -> pa.ChunkedArray:
    def whole(times):
        return pc.equal(pc.multiply(pc.divide(times, SECOND), SECOND), times)

    coarse = pc.and_(pc.or_(whole(one), whole(other)), pc.equal(pc.divide(one, SECOND), pc.divide(other, SECOND)))
    message = pc.and_(pc.greater(one, 0), pc.greater(other, 0))
    return pc.and_(message, pc.or_(pc.equal(one, other), coarse))


def as_skipped(records: pa.Table) -> pa.Table:
    """Return the result rows of skipped files, from their records."""
    zeros = pa.array([0] * records.num_rows, pa.int64())
    message = {
        "outcome": pc.if_else(pc.is_in(records["outcome"], pa.array(FAILED)), records["outcome"], "skipped"),
        "form_before": records["form_after"],
        "bytes_before": records["bytes_after"],
        "bytes_read": zeros,
        "bytes_written": zeros,
        "milliseconds": zeros,
        "task": pa.array([-1] * records.num_rows, pa.int64()),
    }
    return pa.table([message.get(name, records[name]) for name in RECORDS.names], names=RECORDS.names).cast(RECORDS)


def first_failure(rows: pa.Table) -> str:
    """Return a description of the first row with a failure or finding, or an empty string."""
    failed = rows.filter(pc.is_in(rows["outcome"], pa.array(FAILED))).slice(0, 1).to_pylist()
    return f"{failed[0]['path']}: {failed[0]['message']}" if failed else ""
