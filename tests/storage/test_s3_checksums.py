"""An object keeps its kind of checksum, and all parts that are sent have the same kind."""

from __future__ import annotations

import base64
import io
import random
import zlib

import botocore.session
import pyarrow.fs as pafs
import pytest
from support.objects import BUCKET, get

from parquetext.storage import TailEdit, Target, change, create
from parquetext.storage.backends import s3
from parquetext.storage.backends.s3 import S3Object
from parquetext.storage.backends.s3_checksums import _BLOCK, _CRC32C, _CRC64NVME, _SUMS, ObjectChecksum

KEY = "folder/x.bin"
OLD = bytes(range(256)) * (24 << 10) + b"the old tail"
LARGE = TailEdit(6 << 20, b"a new tail")
SMALL = TailEdit(1 << 20, b"a new tail")


@pytest.fixture
def store(server):
    filesystem, _ = server
    yield filesystem
    filesystem.delete_dir_contents(BUCKET)


def head(client, key: str = KEY) -> dict:
    return client.head_object(Bucket=BUCKET, Key=key, ChecksumMode="ENABLED")


def in_parts(client, algorithm: str, type: str) -> None:
    """Upload OLD in two parts with this kind of checksum."""
    where = {"Bucket": BUCKET, "Key": KEY}
    upload = client.create_multipart_upload(**where, ChecksumAlgorithm=algorithm, ChecksumType=type)["UploadId"]
    parts = []
    for number, data in enumerate((OLD[: 5 << 20], OLD[5 << 20 :]), 1):
        part = client.upload_part(**where, UploadId=upload, PartNumber=number, Body=data)
        parts.append({"PartNumber": number, "ETag": part["ETag"]})
    client.complete_multipart_upload(**where, UploadId=upload, MultipartUpload={"Parts": parts})


@pytest.mark.parametrize(("check", "expected"), [("CRC32C", "e3069283"), ("CRC64NVME", "ae8b14860a799888")])
def test_crcs_are_those_of_their_standards(check, expected):
    assert _SUMS[check](b"123456789").hex() == expected


@pytest.mark.parametrize(("name", "polynomial", "width"), [("CRC32C", *_CRC32C), ("CRC64NVME", *_CRC64NVME)])
@pytest.mark.parametrize("size", [0, 1, 7, 8, _BLOCK, _BLOCK + 1, _BLOCK + 9, 3 * _BLOCK, 3 * _BLOCK - 5])
def test_a_crc_is_the_remainder_bit_by_bit(name, polynomial, width, size):
    data, ones = random.Random(size).randbytes(size), (1 << 8 * width) - 1
    crc = ones
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (polynomial if crc & 1 else 0)
    assert int.from_bytes(_SUMS[name](data), "big") == crc ^ ones


@pytest.mark.parametrize(
    ("algorithm", "type"),
    [("CRC32", "FULL_OBJECT"), ("CRC32", "COMPOSITE"), ("SHA256", "COMPOSITE"), ("SHA1", "COMPOSITE")],
)
@pytest.mark.parametrize("edit", [LARGE, SMALL], ids=["copied", "whole"])
def test_an_object_of_parts_keeps_algorithm_and_type(store, client, algorithm, type, edit):
    in_parts(client, algorithm, type)
    before = head(client)
    assert before["ChecksumType"] == type
    with change((store, f"{BUCKET}/{KEY}")) as changing:
        changing.commit(edit)
    now = head(client)
    assert get(store, f"{BUCKET}/{KEY}") == OLD[: edit.keep] + edit.tail
    assert f"Checksum{algorithm}" in now and now[f"Checksum{algorithm}"] != before[f"Checksum{algorithm}"]
    if edit is LARGE or type == "COMPOSITE":
        assert now["ChecksumType"] == type


@pytest.mark.parametrize("algorithm", ["CRC32", "SHA256"])
def test_an_object_put_whole_keeps_its_algorithm(store, client, algorithm):
    client.put_object(Bucket=BUCKET, Key=KEY, Body=OLD[:5000], ChecksumAlgorithm=algorithm)
    with change((store, f"{BUCKET}/{KEY}")) as changing:
        changing.commit(TailEdit(4000, b"tail"))
    expected = base64.b64encode(_SUMS[algorithm](OLD[:4000] + b"tail")).decode()
    assert head(client)[f"Checksum{algorithm}"] == expected


class Recording:
    """A client that answers like S3 for an upload with a kind of checksum, and records the requests."""

    tells_the_objects = False  # for a part

    def __init__(self, kept: dict, *, knows_checksums: bool = True):
        self.head = {"ETag": '"old"', "ContentLength": len(OLD), **kept}
        self.asked: list[tuple[str, dict]] = []
        self._knows = knows_checksums

    def __getattr__(self, name: str):
        def ask(**given):
            self.asked.append((name, given))
            answer = getattr(type(self), f"_{name}", None)
            return answer(self, **given) if answer else {}

        return ask

    def _head_object(self, **given):
        return self.head if given.get("ChecksumMode") else {"ETag": self.head["ETag"]}

    def _get_object_tagging(self, **_):
        return {"TagSet": []}

    def _create_multipart_upload(self, ChecksumAlgorithm=None, **_):
        self.algorithm = ChecksumAlgorithm if self._knows else None
        return {"UploadId": "1", **({"ChecksumAlgorithm": self.algorithm} if self.algorithm else {})}

    def _upload_part(self, PartNumber, **_):
        return {"ETag": f'"{PartNumber}"'}

    def _upload_part_copy(self, PartNumber, **_):
        if not self.algorithm:
            return {"CopyPartResult": {"ETag": f'"{PartNumber}"'}}
        name = f"Checksum{self.algorithm}"
        sum = {name: self.head[name] if self.tells_the_objects else f"of part {PartNumber}"}
        return {"CopyPartResult": {"ETag": f'"{PartNumber}"', **sum}}

    def of(self, name: str) -> list[dict]:
        return [given for asked, given in self.asked if asked == name]


class Source:
    """The object that was read, with the members that a commit uses."""

    name, size = "s3://lake/x", len(OLD)

    class version:
        identity = ('"old"',)

    @staticmethod
    def read(offset: int, length: int) -> bytes:
        return OLD[offset : offset + length]


def goal_of(client: Recording) -> S3Object:
    return S3Object(client, Target("lake/x", pafs.LocalFileSystem()))


@pytest.mark.parametrize("algorithm", ["CRC32C", "CRC64NVME", "CRC32", "SHA256"])
def test_every_part_of_an_upload_has_the_objects_checksum(algorithm):
    type = "COMPOSITE" if algorithm == "SHA256" else "FULL_OBJECT"
    client = Recording({f"Checksum{algorithm}": "x", "ChecksumType": type})
    s3.commit_copied(Source, goal_of(client), LARGE)
    [begun], [sent] = client.of("create_multipart_upload"), client.of("upload_part")
    [finished] = client.of("complete_multipart_upload")
    assert (begun["ChecksumAlgorithm"], begun["ChecksumType"]) == (algorithm, type)
    sum = base64.b64encode(_SUMS[algorithm](LARGE.tail)).decode()
    assert (sent["ChecksumAlgorithm"], sent[f"Checksum{algorithm}"]) == (algorithm, sum)
    assert finished["MultipartUpload"]["Parts"] == [
        {"PartNumber": 1, "ETag": '"1"', f"Checksum{algorithm}": "of part 1"},
        {"PartNumber": 2, "ETag": '"2"', f"Checksum{algorithm}": sum},
    ]


def test_checksums_that_the_store_does_not_return_for_every_part_are_left_to_it():
    client = Recording({"ChecksumCRC32": "x"}, knows_checksums=False)
    s3.commit_copied(Source, goal_of(client), LARGE)
    parts = client.of("complete_multipart_upload")[0]["MultipartUpload"]["Parts"]
    assert [list(part) for part in parts] == [["PartNumber", "ETag"]] * 2


@pytest.mark.parametrize("value", ["x", "x-2"], ids=["FULL_OBJECT", "COMPOSITE"])
def test_the_upload_has_no_checksums_if_the_store_returns_the_objects_for_a_part(value):
    client = Recording({"ChecksumCRC32": value, "ChecksumType": "COMPOSITE" if "-" in value else "FULL_OBJECT"})
    client.tells_the_objects = True
    s3.commit_copied(Source, goal_of(client), LARGE)
    first, second = client.of("create_multipart_upload")
    assert first["ChecksumAlgorithm"] == "CRC32" and "ChecksumAlgorithm" not in second
    assert len(client.of("abort_multipart_upload")) == 1
    [finished] = client.of("complete_multipart_upload")
    assert [list(part) for part in finished["MultipartUpload"]["Parts"]] == [["PartNumber", "ETag"]] * 2


def test_the_objects_own_checksum_is_right_for_all_of_it():
    client = Recording({"ChecksumCRC32": "x", "ChecksumType": "FULL_OBJECT"})
    client.tells_the_objects = True
    s3.commit_copied(Source, goal_of(client), TailEdit(len(OLD), b"appended"))
    assert len(client.of("create_multipart_upload")) == 1


@pytest.mark.parametrize("edit", [LARGE, SMALL], ids=["copied", "whole"])
def test_an_object_without_a_checksum_is_sent_without(edit):
    client = Recording({})
    s3.commit_copied(Source, goal_of(client), edit)
    assert not [
        name for _, given in client.asked for name in given if name.startswith("Checksum") and name != "ChecksumMode"
    ]


def test_of_a_hash_of_the_whole_object_parts_have_the_one_type_that_there_is():
    client = Recording({"ChecksumSHA256": "x", "ChecksumType": "FULL_OBJECT"})
    s3.commit_copied(Source, goal_of(client), LARGE)
    assert client.of("create_multipart_upload")[0]["ChecksumType"] == "COMPOSITE"


def test_under_object_lock_everything_has_a_checksum():
    client = Recording({"ObjectLockMode": "GOVERNANCE"})
    s3.commit_copied(Source, goal_of(client), SMALL)
    assert client.of("put_object")[0]["ChecksumAlgorithm"] == "CRC32"


def test_the_client_adds_no_checksum_by_itself(server):
    filesystem, _ = server
    config = s3.s3_object(Target(f"{BUCKET}/x", filesystem)).client.meta.config
    assert config.request_checksum_calculation == "when_required"


def upload(goal: S3Object) -> None:
    new = goal.upload()
    new.send(1, b"data")
    new.finish()


def test_a_new_object_has_boto3s_checksum_in_all_its_parts(store, client):
    recording = Recording({})
    upload(goal_of(recording))
    assert recording.of("create_multipart_upload")[0]["ChecksumAlgorithm"] == "CRC32"
    sum = base64.b64encode(zlib.crc32(b"data").to_bytes(4, "big")).decode()
    assert recording.of("complete_multipart_upload")[0]["MultipartUpload"]["Parts"][0]["ChecksumCRC32"] == sum
    new = create((store, f"{BUCKET}/new"))
    new.sink.write(OLD * 2)
    new.commit()
    assert "ChecksumCRC32" in head(client, "new")
    body = client.get_object(Bucket=BUCKET, Key="new")["Body"]
    assert io.BytesIO(body.read()).getvalue() == OLD * 2


@pytest.mark.parametrize("why", ["store", "setting"])
def test_a_new_object_without_checksums_has_none_in_any_part(why, monkeypatch):
    if why == "setting":
        monkeypatch.setenv("AWS_REQUEST_CHECKSUM_CALCULATION", "when_required")
        s3._checksum_of_new_objects.cache_clear()
    recording = Recording({}, knows_checksums=why != "store")
    upload(goal_of(recording))
    s3._checksum_of_new_objects.cache_clear()
    assert "ChecksumCRC32" not in recording.of("upload_part")[0]
    assert list(recording.of("complete_multipart_upload")[0]["MultipartUpload"]["Parts"][0]) == ["PartNumber", "ETag"]


def test_a_head_without_a_type_leaves_it_to_the_store():
    checksum = ObjectChecksum.of_head({"ChecksumCRC32": "x"})
    assert checksum.for_upload() == {"ChecksumAlgorithm": "CRC32"}
    assert botocore.session.get_session().get_config_variable("request_checksum_calculation") == "when_supported"
