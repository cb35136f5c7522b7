"""Damage to a file's structure is reported at its position; damage to values is outside of the description."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from dogma.document import Claim, Mismatch
from dogma.parquet import parquet
from parquetext import thrift, wire


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    """Two uncompressed columns of two row groups, with page indexes and a Bloom filter, a flat footer aside."""
    path = tmp_path_factory.mktemp("damage") / "t.parquet"
    numbers = pa.array([None if n % 5 == 0 else n for n in range(40)], pa.int32())
    table = pa.table({"number": numbers, "lists": [[n, n] for n in range(40)]})
    options = {"compression": "none", "use_dictionary": False, "write_page_index": True, "row_group_size": 20}
    pq.write_table(table, path, bloom_filter_options={"number": True}, **options)
    parquetext.upgrade(path, form="flat")
    return path.read_bytes()


@pytest.fixture(scope="module")
def bare(whole, tmp_path_factory) -> bytes:
    """The same without the flat footer."""
    path = tmp_path_factory.mktemp("bare") / "t.parquet"
    path.write_bytes(whole)
    parquetext.strip(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def find(whole) -> Callable[..., Claim]:
    claims = parquet().claims(whole)

    def first(kind: str, **position) -> Claim:
        """The first part of a kind, of this row group and column."""
        wanted = {"kind": kind} | position
        return next(claim for claim in claims if wanted.items() <= claim.owner._asdict().items())

    return first


def failure(data: bytes) -> int:
    with pytest.raises(Mismatch) as failed:
        parquet().claims(data)
    return failed.value.offset


def varint(number: int, size: int = 1) -> bytes:
    """A ULEB128 number of so many bytes at least."""
    out = bytearray()
    while number > 127 or len(out) < size - 1:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def changed(data: bytes, at: int, new: bytes) -> bytes:
    assert data[at : at + len(new)] != new
    return data[:at] + new + data[at + len(new) :]


def test_the_whole_file_is_matched(whole):
    assert parquet().claims(whole)[-1].end == len(whole)


@pytest.mark.parametrize("cut", [1, 4, 8, 100])
def test_a_truncated_file_fails_at_the_position_of_its_magic(whole, cut):
    assert failure(whole[:-cut]) == len(whole) - cut - 4


@pytest.mark.parametrize("data", [b"", b"PAR", b"PAR1"])
def test_too_few_bytes_for_a_file_fail(data):
    assert failure(data) == 0


def test_a_wrong_magic_in_front_is_found(whole):
    assert failure(changed(whole, 0, b"PARX")) == 0


@pytest.mark.parametrize("length", [0, 0x7FFFFFFF])
def test_a_footer_length_that_does_not_fit_is_found(whole, length):
    at = len(whole) - 8
    assert failure(changed(whole, at, length.to_bytes(4, "little"))) == at


def test_an_unknown_type_of_a_footer_field_is_found(whole, find):
    at = find("footer-field").begin
    assert failure(changed(whole, at, b"\x1f")) == at


def test_an_unknown_repetition_type_is_found_in_its_element(whole, find):
    leaf = find("schema", column=0)
    at = whole.index(b"\x25\x02", leaf.begin, leaf.end)  # field 3: OPTIONAL
    assert failure(changed(whole, at + 1, b"\x08")) == at + 1


def test_a_page_header_that_does_not_parse_is_found(whole, find):
    at = find("page-header", row_group=1, column=1).begin
    assert failure(changed(whole, at, b"\x1e")) == at


def test_a_negative_page_size_is_found(whole, find):
    at = find("page-header", row_group=0, column=0).begin
    assert whole[at + 2] == 0x15  # field 2: uncompressed_page_size
    assert failure(changed(whole, at + 3, (whole[at + 3] | 1).to_bytes(1, "little"))) == at + 3


def test_a_run_of_levels_beyond_the_page_is_found(whole, find):
    levels = find("definition-levels", row_group=0, column=0)
    assert failure(changed(whole, levels.begin, (1000).to_bytes(4, "little"))) == levels.begin + 4


def test_a_run_of_more_levels_than_values_is_found(whole, find):
    levels = find("repetition-levels", row_group=0, column=1)
    assert failure(changed(whole, levels.begin + 4, b"\x7e")) in range(levels.begin + 4, levels.end + 1)


def test_a_changed_bit_is_found_by_the_checksum_over_it(whole, find):
    end = find("block-trailer").begin
    at = end - 40  # in the tail block, whose checksum is its last field
    assert failure(changed(whole, at, bytes([whole[at] ^ 1]))) in (at, end - 32, end - 4)
    column = whole.index(b"\x03\0\0\0\0\0\0\0", find("flat-footer").begin) - 8  # the first COLUMN cell
    assert failure(changed(whole, column + 40, bytes([whole[column + 40] ^ 1]))) == column


def test_a_wrong_trailer_of_a_block_aside_is_found(whole, find):
    trailer = find("block-trailer")
    assert failure(changed(whole, trailer.begin, b"\0\0\0\0")) == trailer.begin


@pytest.mark.parametrize("bits", [1, 7, 16])
def test_a_uuid_with_flipped_bits_is_found(bare, tmp_path, bits):
    path = tmp_path / "t.parquet"
    path.write_bytes(bare)
    parquetext.upgrade(path, form="flat", placement="in-struct")
    data = path.read_bytes()
    at = data.rindex(wire.UUID_FLAT_FOOTER.bytes)
    uuid = int.from_bytes(data[at : at + 16], "big") ^ sum(1 << 5 * bit for bit in range(bits))
    assert failure(changed(data, at, uuid.to_bytes(16, "big"))) == at
    assert parquet().claims(changed(data, at, bytes(range(16)))), "a foreign block"


def test_a_magic_of_encryption_without_an_algorithm_is_found(whole):
    assert failure(changed(whole, len(whole) - 1, b"E")) == len(whole) - 4


def with_footer(bare: bytes, change: Callable[[dict], object]) -> bytes:
    begin = len(bare) - 8 - int.from_bytes(bare[-8:-4], "little")
    struct = thrift.read("FileMetaData", bare[begin:-8])
    change(struct)
    footer = thrift.write("FileMetaData", struct)
    return bare[:begin] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def test_an_encrypted_chunk_in_a_footer_without_encryption_is_found(bare):
    def encrypt(struct: dict) -> None:
        struct["row_groups"][1]["columns"][0]["crypto_metadata"] = {"ENCRYPTION_WITH_FOOTER_KEY": {}}

    data = with_footer(bare, encrypt)
    header = next(at for at, (new, old) in enumerate(zip(data, bare, strict=False)) if new != old)
    assert failure(data) == header + 1


@pytest.mark.parametrize("algorithm", [{}, {"AES_GCM_V1": {}}])
def test_an_encryption_algorithm_without_a_signature_is_found(bare, algorithm):
    data = with_footer(bare, lambda struct: struct.update(encryption_algorithm=algorithm))
    assert len(data) - 20 < failure(data) <= len(data) - 8


def test_a_reference_to_another_place_is_found(whole, find):
    reference = find("reference")
    at = reference.begin + 12
    assert failure(changed(whole, at, b"AAAA")) in range(reference.begin, reference.end)


@pytest.mark.parametrize("kind", ["offset-index", "column-index", "bloom-header"])
def test_indexes_and_bloom_filters_that_do_not_parse_are_found(whole, find, kind):
    at = find(kind).begin
    assert failure(changed(whole, at, b"\x1f")) == at


def test_unreferenced_bytes_are_found(bare):
    at = len(bare) - 8 - int.from_bytes(bare[-8:-4], "little")
    assert failure(bare[:at] + b"\xee" * 8 + bare[at:]) == at
    assert parquet().claims(bare[:at] + bytes(8) + bare[at:])


def test_chunks_that_share_bytes_are_found(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [1] * 99, "b": [1] * 99}), path, compression="none", use_dictionary=False)
    data = path.read_bytes()
    a, b = (claim.begin for claim in parquet().claims(data) if claim.owner.kind == "page-header")
    position = data.rindex(b"\x26" + varint(2 * b)) + 1  # data_page_offset of b
    assert failure(changed(data, position, varint(2 * a, len(varint(2 * b))))) == a


def test_any_values_are_matched(whole, find):
    begin, end, _ = find("values")
    parquet().claims(changed(whole, begin, bytes(end - begin)))


def test_every_byte_of_the_structure_can_be_changed_without_another_error(whole, find):
    """For any change the file is matched, or refused at a byte of the file; no other error is raised."""
    begin = find("offset-index").begin
    for at in range(begin, len(whole), 37):
        data = bytearray(whole)
        data[at] ^= 0x41
        try:
            parquet().claims(bytes(data))
        except Mismatch as error:
            assert 0 <= error.offset <= len(whole)
