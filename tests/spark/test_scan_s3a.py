"""Requests of a sliced scan through Hadoop's S3A, counted by a server, compared with those of stock Spark."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.hadoop_aws import hadoop_aws_jars
from support.objects import BUCKET, recorded_s3_server

import parquetext

COLUMNS, ROWS, GROUPS = 10_000, 160, 10
LATENCY = 0.5  # seconds: requests that come within half of it do not wait for each other
READ = """
    import json, sys, urllib.error, urllib.request
    from parquetext.spark import session

    url, bucket, name, jars, stream, *more = sys.argv[1:]
    settings = {
        "endpoint": url, "endpoint.region": "us-east-1", "path.style.access": "true", "access.key": "any",
        "secret.key": "any", "connection.ssl.enabled": "false", "input.stream.type": stream,
    } | dict(setting.split("=") for setting in more)
    spark = session(
        master="local[1]", driver_memory="1g", jars=jars,
        **{f"spark.hadoop.fs.s3a.{key}": value for key, value in settings.items()},
    )

    def mark(what):
        try:
            urllib.request.urlopen(f"{url}/{bucket}/mark-{what}")
        except urllib.error.HTTPError:
            pass

    sums = []
    for enabled in ("true", "false", "true", "false"):  # the first two make connections, and load classes
        spark.conf.set("spark.parquetext.scan.enabled", enabled)
        frame = spark.read.schema(f"{name} double").parquet(f"s3a://{bucket}/x.parquet").selectExpr(f"sum({name})")
        frame._jdf.queryExecution().executedPlan()
        mark("begin")
        sums.append(frame.first()[0])
        mark("end")
    print(json.dumps(sums))
"""


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory) -> tuple[Path, int]:
    """A wide file, and where its data ends."""
    path = tmp_path_factory.mktemp("s3a") / "x.parquet"
    columns = {f"column_{number}": pa.array([float(number)] * ROWS) for number in range(COLUMNS)}
    pq.write_table(pa.table(columns), path, row_group_size=ROWS // GROUPS, use_dictionary=False)
    before = path.stat().st_size - pq.read_metadata(path).serialized_size - 8
    parquetext.upgrade(str(path), form="flat")
    return path, before


NO_PAGE_INDEXES = "analytics.accelerator.logicalio.prefetch.page.index.enabled=false"
STREAMS = {"classic": (["classic"], 4), "analytics": (["analytics"], 5), "less": (["analytics", NO_PAGE_INDEXES], 4)}


@pytest.mark.parametrize("stream", STREAMS)
def test_a_column_takes_one_head_and_four_ranges_in_three_rounds(long, run_driver, needed_scan_jar, upgraded, stream):
    """S3A's analytics stream reads the last MiB ahead for page indexes, by a range of its own, unless told not to."""
    settings, most_ranges = STREAMS[stream]
    jars = ",".join(map(str, hadoop_aws_jars()))
    path, data = upgraded
    thrift = pq.read_metadata(path).serialized_size
    with recorded_s3_server() as (filesystem, recorder):
        with filesystem.open_output_stream(f"{BUCKET}/x.parquet") as sink:
            sink.write(path.read_bytes())
        recorder.forget()
        recorder.latency = LATENCY
        said = run_driver(READ, recorder.url, BUCKET, "column_7001", jars, *settings)
        sliced, stock = (Footer.of(requests, data) for requests in scans(recorder)[2:])
    assert json.loads(said.splitlines()[-1]) == [7001.0 * ROWS] * 4
    print(f"{stream}: sliced {sliced}; stock {stock}; the Thrift footer has {thrift:,} bytes")
    assert sliced.heads <= stock.heads == 1
    assert sliced.ranges <= most_ranges
    assert sliced.rounds <= 3
    assert sliced.size < 4 << 20 < thrift < stock.size


class Footer(NamedTuple):
    """A scan's requests that belong to a footer."""

    heads: int
    ranges: int
    rounds: int
    size: int

    @classmethod
    def of(cls, requests: list[tuple], data: int) -> Footer:
        """Ranges of the file that lead beyond its data."""
        heads = sum(method == "HEAD" for method, _, _ in requests)
        ranges = [(asked, when) for method, asked, when in requests if method == "GET" and asked[1] > data]
        times = sorted(when for _, when in ranges)
        later = sum(after - before >= LATENCY / 2 for before, after in pairwise(times))
        return cls(heads, len(ranges), 1 + later, sum(end - begin for (begin, end), _ in ranges))


def scans(recorder) -> list[list[tuple]]:
    """The requests of each scan: method, range, and when it came."""
    found: list[list[tuple]] = []
    is_inside = False
    for (method, path, asked), when in zip(recorder.requests, recorder.begun, strict=True):
        if "/mark-" in path:
            is_inside = path.endswith("/mark-begin")
            found += [[]] if is_inside else []
        elif is_inside:
            found[-1].append((method, asked, when))
    return found
