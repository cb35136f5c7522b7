"""A local file with its tail, and the position of the flat footer in it."""

from __future__ import annotations

import base64
import errno
import os
import struct
import zlib

import pytest

from parquetext import kernels, wire

FOREIGN = bytes(range(16))


def trailer(payload: bytes, uuid: bytes) -> bytes:
    size = len(payload).to_bytes(4, "little")
    return zlib.crc32(payload).to_bytes(4, "little") + size + zlib.crc32(size).to_bytes(4, "little") + uuid


def block(payload: bytes, uuid: bytes = wire.UUID_FLAT_FOOTER.bytes) -> bytes:
    return payload + trailer(payload, uuid)


def parquet(extension: bytes, body: bytes = b"PAR1data", thrift: bytes = b"\x15\x02\x08\xff\xff\x01\x7f") -> bytes:
    footer = thrift + extension + b"\0"
    return body + footer + len(footer).to_bytes(4, "little") + b"PAR1"


@pytest.fixture
def local(implementation):
    return kernels.local


def test_the_tail_is_read_when_the_file_is_opened(local, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(range(256)) * 40)
    with local.LocalFile(str(path), 100) as file:
        assert (file.size, file.tail) == (10240, path.read_bytes()[-100:])
        assert (file.ino, file.mtime_ns) == (path.stat().st_ino, path.stat().st_mtime_ns)
        assert os.pread(file.fd, 3, 5) == bytes([5, 6, 7])
        assert file.read(254, 4) == bytes([254, 255, 0, 1])


def test_a_file_shorter_than_the_tail_is_read_whole(local, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"short")
    with local.LocalFile(os.fsencode(path)) as file:
        assert (file.size, file.tail) == (5, b"short")
    path.write_bytes(b"")
    with local.LocalFile(str(path)) as file:
        assert (file.size, file.tail) == (0, b"")


def test_large_pieces_are_read_into_separate_pages(local, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(os.urandom(3 << 20))
    with open(path, "rb") as file:
        for length in (0, 1, (1 << 20) - 1, 1 << 20, (2 << 20) + 7):
            pieces = [local.read_pages(file.fileno(), offset, length) for offset in (5, 77)]
            assert [bytes(piece) for piece in pieces] == [path.read_bytes()[at : at + length] for at in (5, 77)]
            assert all(piece.readonly for piece in pieces)
        with pytest.raises(OSError, match="reading 2 bytes failed"):
            local.read_pages(file.fileno(), (3 << 20) - 1, 2)


@pytest.mark.parametrize("name", ["missing", "folder"])
def test_files_that_cannot_be_opened_raise_the_error_of_open(local, tmp_path, name):
    (tmp_path / "folder").mkdir()
    path = str(tmp_path / name)
    with pytest.raises(OSError) as theirs:
        open(path, "rb").close()
    with pytest.raises(OSError) as ours:
        local.LocalFile(path)
    assert (type(ours.value), ours.value.errno, ours.value.filename) == (
        type(theirs.value),
        theirs.value.errno,
        theirs.value.filename,
    )


def test_a_null_in_a_path_is_refused(local):
    with pytest.raises(ValueError, match="null"):
        local.LocalFile("a\0b")


def test_reading_past_the_end_is_an_error(local, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"ten bytes.")
    with local.LocalFile(str(path)) as file:
        for offset, length in ((8, 3), (11, 0), (2**40, 1)):
            with pytest.raises(OSError) as raised:
                file.read(offset, length)
            assert raised.value.errno == errno.ENODATA


def test_a_file_that_shrinks_after_opening_gives_an_error_not_other_bytes(local, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(1000))
    with local.LocalFile(str(path)) as file:
        os.truncate(path, 10)
        with pytest.raises(OSError):
            file.read(5, 100)


def test_a_closed_file_reads_nothing(local, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x")
    file = local.LocalFile(str(path))
    file.close()
    file.close()
    assert file.fd == -1
    with pytest.raises(ValueError):
        file.read(0, 1)


def test_the_flat_block_is_found_from_the_back(local):
    data = parquet(block(b"payload of the flat footer"))
    *_, position, length, _, _ = local.own_block(data[-80:], len(data))
    assert data[position : position + length] == b"payload of the flat footer"


def test_foreign_blocks_on_top_are_stepped_over(local):
    data = parquet(block(b"flat") + block(b"foreign", FOREIGN) + block(b"", FOREIGN))
    *_, position, length, _, _ = local.own_block(data, len(data))
    assert data[position : position + length] == b"flat"


KINDS = {"flat": wire.UUID_FLAT_FOOTER.bytes, "index": wire.UUID_FOOTER_INDEX.bytes}


def test_the_last_one_of_our_blocks_counts(local):
    flat, index = block(b"flat"), block(b"index", wire.UUID_FOOTER_INDEX.bytes)
    above = index + block(b"foreign", FOREIGN)
    for extension, form in ((flat + index, "index"), (index + flat, "flat"), (above, "index")):
        data = parquet(extension)
        found, footer, thrift_length, position, length, known, known_end = local.own_block(data, len(data))
        assert (footer + thrift_length, known, known_end) == (position, data, len(data))
        assert (found, data[position : position + length], footer) == (KINDS[form], form.encode(), len(b"PAR1data"))


def test_only_the_trailers_need_to_be_in_the_tail(local):
    data = parquet(block(bytes(500)))
    assert local.own_block(data[-37:], len(data))[3:5] == (len(data) - 37 - 500, 500)
    assert local.own_block(data[-36:], len(data)) is None


def par3(payload: bytes, length: int | None = None) -> bytes:
    size = (len(payload) if length is None else length).to_bytes(4, "little")
    return b"PAR1" + payload + b"crc!" + size + zlib.crc32(size).to_bytes(4, "little") + b"PAR3"


def test_the_flat_footer_of_a_par3_file_is_located(local):
    data = par3(b"payload")
    for tail in (data, data[-16:]):
        assert local.own_block(tail, len(data)) == (b"PAR3", 4, 0, 4, 7, tail, len(data))


@pytest.mark.parametrize(
    "data",
    [
        par3(b"payload", 8),
        par3(b"payload", 2**32 - 1),
        par3(b"payload")[:-8] + b"crc!PAR3",
        par3(b"payload")[-16:],
        par3(b"payload")[-12:],
    ],
)
def test_a_par3_trailer_with_wrong_lengths_is_ignored(local, data):
    assert local.own_block(data, len(data)) is None


@pytest.mark.parametrize(
    "data",
    [
        parquet(b""),
        parquet(block(b"foreign", FOREIGN)),
        b"",
        b"PAR1",
        b"\0\0\0\0\0PAR1",
        b"PARE" * 20,
        parquet(block(b"flat"))[:-1],
        parquet(block(b"flat"))[:-4] + b"PAR3",
        parquet(block(b"flat"), thrift=b""),
    ],
)
def test_other_files_have_no_flat_block(local, data):
    assert local.own_block(data, len(data)) is None


def test_a_footer_length_beyond_the_file_or_the_block_is_ignored(local):
    data = parquet(block(b"flat"))
    for length in (0, 1, 28, 29, 32, 2**31, 2**32 - 1):
        changed = data[:-8] + length.to_bytes(4, "little") + b"PAR1"
        assert local.own_block(changed, len(changed)) is None


def test_one_flipped_bit_in_the_trailer_hides_the_block_or_leaves_its_place(local):
    data = parquet(block(b"flat" * 10))
    position = local.own_block(data, len(data))
    for at in range(len(data) - 37, len(data)):
        for bit in range(8):
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            found = local.own_block(bytes(changed), len(data))
            assert found is None or found[3:5] == position[3:5]


@pytest.mark.parametrize("struct_length", [1, 60, 1 << 20, 1 << 31, (1 << 32) - 1])
@pytest.mark.parametrize("as_text", [False, True])
def test_a_reference_to_a_struct_beyond_the_file_is_ignored(local, struct_length, as_text):
    front = b"PAR1data" + block(bytes(8))
    payload = struct.pack("<HHIQII16sQIII", 1, 0, 1, 8, struct_length, 0, wire.UUID_FLAT_FOOTER.bytes, 8, 8, 0, 0)
    reference = block(payload + bytes(2), wire.UUID_FOOTER_REFERENCE.bytes)
    data = parquet(base64.b64encode(reference) if as_text else reference, front)
    assert local.own_block(data, len(data)) is None
