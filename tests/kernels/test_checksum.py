"""CRC-32 in every implementation that this CPU can run, and XXH64."""

from __future__ import annotations

import inspect
import random
import subprocess
import sys
import zlib
from array import array
from pathlib import Path

import pytest

from parquetext import kernels
from parquetext._pure import checksum as pure

BYTES = random.Random(32).randbytes(20100)
ROOT = Path(__file__).parents[2]
LENGTHS = [*range(300), *(around + off for around in range(320, 4161, 64) for off in (-17, -1, 0, 1, 16, 31)), 4200]

# From xxHash's own sanity checks and its Python binding's documentation.
XXH64 = [
    (b"", 0, 0xEF46DB3751D8E999),
    (b"a", 0, 0xD24EC4F1A98C6E5B),
    (b"abc", 0, 0x44BC2CF5AD770999),
    (b"", 1, 0xD5AFBA1336A3BE4B),
    (b"xxhash", 20141025, 0xB559B98D844E0635),
    (b"Nobody inspects the spammish repetition", 0, 0xFBCEA83C8A378BF1),
]

pytestmark = pytest.mark.usefixtures("implementation")


def test_the_check_value():
    assert kernels.checksum.crc32(b"123456789") == 0xCBF43926
    assert kernels.checksum.crc32(b"") == 0
    assert kernels.checksum.crc32(b"", 77) == 77


def test_every_routine_equals_zlib_at_every_kind_of_length_and_alignment():
    for name in kernels.checksum.crc32_implementations():
        for length in LENGTHS:
            start = length * 7 % 64
            data = memoryview(BYTES)[start : start + length]
            assert kernels.checksum.crc32_with(name, data, length) == zlib.crc32(data, length), (name, start, length)


def test_every_routine_equals_zlib_on_every_alignment():
    for name in kernels.checksum.crc32_implementations():
        for length in (1, 15, 16, 63, 64, 100, 255, 256, 383, 1024, 4096, 16383, 16384, 20001):
            for start in range(64):
                data = memoryview(BYTES)[start : start + length]
                assert kernels.checksum.crc32_with(name, data) == zlib.crc32(data), (name, start, length)


def test_large_input_without_the_interpreters_lock():
    data = BYTES * 100
    assert kernels.checksum.crc32(data) == zlib.crc32(data)


def test_the_portable_routine_is_always_there(implementation):
    names = kernels.checksum.crc32_implementations()
    assert names[-1] in (("slice16",) if implementation == "native" else ("zlib", "zlib-ng"))
    assert kernels.checksum.crc32(BYTES) == kernels.checksum.crc32_with(names[0], BYTES)


def test_an_unknown_routine_is_an_error():
    with pytest.raises(ValueError, match="no CRC-32 routine 'abacus' here; there is "):
        kernels.checksum.crc32_with("abacus", b"")


def test_a_checksum_can_be_resumed_at_any_cut():
    whole = zlib.crc32(BYTES)
    for cut in (0, 1, 15, 16, 100, 256, 4096, len(BYTES)):
        assert kernels.checksum.crc32(BYTES[cut:], kernels.checksum.crc32(BYTES[:cut])) == whole


@pytest.mark.parametrize(("data", "seed", "value"), XXH64)
def test_known_values_of_xxh64(data, seed, value):
    assert kernels.checksum.xxh64(data, seed) == value


def test_xxh64_agrees_with_its_twin_at_every_kind_of_length():
    for length in (*range(140), 1000, 4200):
        data = memoryview(BYTES)[length % 16 :][:length]
        assert kernels.checksum.xxh64(data, length * 2**51) == pure.xxh64(data, length * 2**51)


def test_both_implementations_have_the_same_signatures():
    parameters = inspect.signature(kernels.checksum.crc32).parameters.values()
    assert [(each.name, each.kind.description) for each in parameters] == [
        ("data", "positional-only"),
        ("crc", "positional-only"),
    ]
    for arguments in ((), (b"", 0, 0), ("text",), (b"", None)):
        with pytest.raises(TypeError):
            kernels.checksum.crc32(*arguments)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: array("b", data)])
def test_any_bytes_like_object_will_do(kind):
    assert kernels.checksum.crc32(kind(b"12345678")) == zlib.crc32(b"12345678")
    assert kernels.checksum.xxh64(kind(b"abc")) == 0x44BC2CF5AD770999


def test_arguments_out_of_range_are_errors():
    for call in (
        lambda: kernels.checksum.crc32(b"a", -1),
        lambda: kernels.checksum.crc32(b"a", 2**32),
        lambda: kernels.checksum.xxh64(b"a", 2**64),
    ):
        with pytest.raises(OverflowError):
            call()


def test_the_constants_are_those_that_the_script_derives():
    subprocess.run([sys.executable, ROOT / "csrc/tables/crc32.py", "--check"], check=True)
