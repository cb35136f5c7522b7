"""Jobs on S3: Spark's own settings, and a store that now and then answers 503 or hangs up."""

from __future__ import annotations

import itertools
import socket
from collections import Counter

import pytest
from support.objects import BUCKET, get, names, put, recorded_s3_server
from support.parquet_bytes import TABLE, parquet_bytes
from werkzeug.wsgi import get_input_stream

from parquetext.spark import list_files, read, strip, upgrade
from parquetext.spark.filesystems import Filesystems

pytestmark = pytest.mark.slow

ORIGINAL = parquet_bytes()
SLOW_DOWN = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
FILES = 6


class Moody:
    """An application that fails every seventh request and hangs up on every eleventh, before or after it is done.

    One that failed is answered when it comes again: how requests of several processes interleave must not make one of
    them fail as often as no client asks.
    """

    def __init__(self, application):
        self._application, self._numbers = application, itertools.count(1)
        self.failed = Counter()
        self._failing: set[tuple[str, str]] = set()

    def __call__(self, environ, start_response):
        number, asked = next(self._numbers), (environ["REQUEST_METHOD"], environ["PATH_INFO"])
        if asked in self._failing:
            self._failing.discard(asked)
            return self._application(environ, start_response)
        if number % 7 == 0 or number % 11 == 0:
            self._failing.add(asked)
        if number % 7 == 0:
            self.failed["503"] += 1
            get_input_stream(environ).read()
            start_response("503 Slow Down", [("Content-Type", "application/xml")])
            return [SLOW_DOWN]
        if number % 11 == 0:
            self.failed["dropped"] += 1
            if number % 2:
                list(self._application(environ, start_response))  # done, and nobody is told
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
            raise ConnectionAbortedError
        return self._application(environ, start_response)


@pytest.fixture
def store():
    with recorded_s3_server() as (filesystem, recorder):
        yield filesystem, recorder


@pytest.fixture
def on_s3(spark, store):
    """A session with Hadoop's settings for the store."""
    session = spark.newSession()
    for name, value in {
        "endpoint": store[1].url,
        "access.key": "any",
        "secret.key": "any",
        "endpoint.region": "us-east-1",
        "path.style.access": "true",
    }.items():
        session.conf.set(f"fs.s3a.{name}", value)
    return session


@pytest.fixture
def lake(store) -> list[str]:
    paths = [f"{BUCKET}/lake/day={number % 3}/{number:02d}.parquet" for number in range(FILES)]
    for path in paths:
        put(store[0], path, ORIGINAL)
    put(store[0], f"{BUCKET}/lake/_temporary/x.parquet", ORIGINAL)
    return paths


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_objects_are_listed_under_the_requested_scheme(on_s3, lake, scheme):
    found = list_files(on_s3, f"{scheme}://{BUCKET}/lake")
    assert found["path"].to_pylist() == sorted(f"{scheme}://{path}" for path in lake)
    assert set(found["size"].to_pylist()) == {len(ORIGINAL)}
    assert list_files(on_s3, f"{scheme}://{BUCKET}/lake/day=1/*1.parquet").num_rows == 1


def test_a_table_is_found_in_one_listing(on_s3, store, lake):
    put(store[0], f"{BUCKET}/lake/_delta_log/0.json", b"{}")
    rows = upgrade(on_s3, f"s3a://{BUCKET}/lake", progress=False, form="flat").collect()
    assert {row.error for row in rows} == {"Refused"}
    asked = [path for method, path, _ in store[1].requests if method in ("GET", "HEAD") and "_delta_log" in path]
    assert len(asked) < FILES


def test_the_data_source_uses_the_sessions_settings_or_its_options(on_s3, store, lake):
    assert read(on_s3, f"s3a://{BUCKET}/lake").count() == FILES * TABLE.num_rows
    settings = Filesystems.of(on_s3).options
    written = on_s3.range(7).write.format("parquetext").mode("append").options(**settings, form="flat")
    written.save(f"s3a://{BUCKET}/new")
    assert on_s3.read.format("parquetext").options(**settings).load(f"s3a://{BUCKET}/new").count() == 7


@pytest.mark.usefixtures("long")
def test_a_job_goes_through_in_spite_of_503s_and_dropped_connections(on_s3, store, lake):
    filesystem, recorder = store
    moody = recorder._application = Moody(recorder._application)
    path, state = f"s3a://{BUCKET}/lake", f"s3a://{BUCKET}/state"
    first = upgrade(on_s3, path, state=state, progress=False, form="flat").collect()
    assert Counter(row.form_after for row in first) == {"flat": FILES}, [row.message for row in first]
    assert {row.outcome for row in first} <= {"upgraded", "unchanged"}, [(row.error, row.message) for row in first]
    assert Counter(row.outcome for row in upgrade(on_s3, path, state=state, progress=False, form="flat").collect()) == {
        "skipped": FILES
    }
    assert Counter(row.form_after for row in strip(on_s3, path, progress=False).collect()) == {"thrift": FILES}
    assert min(moody.failed["503"], moody.failed["dropped"]) > 2
    recorder._application = moody._application
    assert {get(filesystem, path) for path in lake} == {ORIGINAL}
    assert [name for name in names(filesystem, f"{BUCKET}/lake") if name.startswith("day")] == sorted(
        path.removeprefix(f"{BUCKET}/lake/") for path in lake
    )
