"""Page indexes are added to objects of S3: the store copies the data."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.objects import BUCKET, get, names, put

import parquetext
from parquetext import edits
from parquetext.errors import Conflict
from parquetext.storage.backends.s3 import LEAST_PART, S3Upload

PATH = f"{BUCKET}/folder/x.parquet"
NUMBERS = np.random.default_rng(5).integers(0, 1 << 62, 1_000_000)
TABLE = pa.table({"id": np.sort(NUMBERS), "number": NUMBERS})


@pytest.fixture(scope="module")
def original() -> bytes:
    sink = io.BytesIO()
    pq.write_table(TABLE, sink, use_dictionary=False, compression="none", data_page_size=1 << 17)
    return sink.getvalue()


@pytest.fixture
def s3(server, original):
    filesystem, recorder = server
    put(filesystem, PATH, original)
    recorder.forget()
    yield filesystem
    filesystem.delete_dir_contents(BUCKET)


def test_the_store_copies_the_data_and_each_byte_is_read_at_most_once(s3, original):
    assert len(original) > 2 * LEAST_PART
    done = edits.add_page_index((s3, PATH))
    assert done.outcome == "indexed"
    assert done.bytes_written < len(original) / 100
    assert done.bytes_read < 1.01 * len(original)
    assert get(s3, PATH)[: len(original) - 4096] == original[: len(original) - 4096]
    assert names(s3, BUCKET) == ["folder/x.parquet"]


def test_a_reader_of_the_object_then_fetches_only_pages_with_matching_rows(s3, original):
    edits.add_page_index((s3, PATH))
    filters = [("id", "==", TABLE["id"][777_777].as_py())]
    with parquetext.open((s3, PATH)) as file:
        assert file.read(["number"], filters=filters, engine="parquetext").to_pylist() == [
            {"number": NUMBERS[777_777].item()}
        ]
        assert file.io_stats.bytes < len(original) / 20
    assert pq.read_table(PATH, filesystem=s3).equals(TABLE)


def test_strip_restores_the_object(s3, original):
    edits.upgrade((s3, PATH), form="flat")
    edits.add_page_index((s3, PATH), bloom="number")
    with parquetext.open((s3, PATH)) as file:
        assert (file.form, file.findings) == ("flat", [])
    assert edits.strip((s3, PATH)).outcome == "stripped"
    assert get(s3, PATH) == original


def test_an_object_that_changes_meanwhile_stays(s3, original, monkeypatch):
    theirs, finish = original[:-1] + b"?", S3Upload.finish

    def finish_too_late(self, *arguments, **options):
        put(s3, PATH, theirs)
        return finish(self, *arguments, **options)

    monkeypatch.setattr(S3Upload, "finish", finish_too_late)
    with pytest.raises(Conflict):
        edits.add_page_index((s3, PATH))
    assert get(s3, PATH) == theirs
