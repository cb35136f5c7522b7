"""docs/defects.md, point by point: each defect of public texts and implementations is shown by its effect."""

from __future__ import annotations

import base64
import decimal
import io
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.list_pages import list_column, list_file, list_page
from support.pages import Column, data_page, file_of_row_groups
from support.parquet_bytes import footer_of, with_footer
from support.varints import varint, zigzag

import parquetext
from parquetext import extension, kernels, wire
from parquetext.demo.readers import read_many_with
from parquetext.errors import Malformed
from parquetext.footer.leaf_types import leaf_type

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "tests/data/parquet.fbs"
FIELD = 32767
BINARY = 11  # in Thrift libraries' own numbers


def append_extension(thrift: bytes, payload: bytes) -> bytes:
    """AppendExtension as the texts have it."""
    assert thrift[-1:] == b"\0"
    return thrift[:-1] + b"\x08" + varint(FIELD) + varint(len(payload)) + payload + b"\0"


def fields_by_a_thrift_library(data: bytes) -> tuple[list[tuple[int, bytes]], int]:
    """Return the binary fields of a struct by Apache Thrift's compact protocol, and its end."""
    from thrift.protocol.TCompactProtocol import TCompactProtocol
    from thrift.transport.TTransport import TMemoryBuffer

    buffer = TMemoryBuffer(data)
    protocol = TCompactProtocol(buffer)
    found = []
    protocol.readStructBegin()
    while True:
        _, kind, number = protocol.readFieldBegin()
        if kind == 0:
            break
        if kind == BINARY:
            found.append((number, protocol.readBinary()))
        else:
            protocol.skip(kind)
        protocol.readFieldEnd()
    protocol.readStructEnd()
    return found, buffer._buffer.tell()


def written_by_a_thrift_library(payload: bytes) -> bytes:
    from thrift.protocol.TCompactProtocol import TCompactProtocol
    from thrift.transport.TTransport import TMemoryBuffer

    buffer = TMemoryBuffer()
    protocol = TCompactProtocol(buffer)
    protocol.writeStructBegin("Extended")
    protocol.writeFieldBegin("extension", BINARY, FIELD)
    protocol.writeBinary(payload)
    protocol.writeFieldEnd()
    protocol.writeFieldStop()
    protocol.writeStructEnd()
    return buffer.getvalue()


def parquet_file(table: pa.Table | None = None, **options) -> tuple[bytes, bytes]:
    """Return the two parts of a file: the bytes before its footer, and the footer."""
    sink = io.BytesIO()
    pq.write_table(table if table is not None else pa.table({"x": [1, 2, 3]}), sink, **options)
    data = sink.getvalue()
    length = int.from_bytes(data[-8:-4], "little")
    return data[: -8 - length], data[-8 - length : -8]


def test_each_point_of_the_page_is_shown_here_and_nothing_else():
    named = re.findall(r"^`(\w+)`\.", (ROOT / "docs/defects.md").read_text(), re.M)
    shown = re.findall(r"^def test_(\w+)\(", Path(__file__).read_text(), re.M)
    assert shown[1:] == named


def test_the_marker_is_not_field_32767():
    pytest.importorskip("thrift")
    struct_of_the_texts = append_extension(b"\0", b"hello")
    assert struct_of_the_texts[:4] == bytes.fromhex("08ffff01")
    assert fields_by_a_thrift_library(struct_of_the_texts)[0] == [(-16384, b"hello")]
    generated = written_by_a_thrift_library(b"hello")
    assert generated[:4] == bytes.fromhex("08feff03")
    assert fields_by_a_thrift_library(generated)[0] == [(FIELD, b"hello")]
    assert extension.find(struct_of_the_texts) == extension.find(generated) == b"hello"


def test_a_file_as_it_is_drawn_has_no_footer():
    head, footer = parquet_file()
    drawn = head + append_extension(footer, b"x" * 40) + b"PAR1"
    with pytest.raises((pa.ArrowInvalid, OSError)):
        pq.read_table(io.BytesIO(drawn))
    extended = append_extension(footer, b"x" * 40)
    whole = head + extended + len(extended).to_bytes(4, "little") + b"PAR1"
    assert pq.read_table(io.BytesIO(whole))["x"].to_pylist() == [1, 2, 3]


def test_appending_twice_loses_the_first_extension():
    pytest.importorskip("thrift")
    twice = append_extension(append_extension(b"\0", b"first vendor"), b"second vendor")
    fields, _ = fields_by_a_thrift_library(twice)
    assert dict(fields) == {-16384: b"second vendor"}
    with pytest.raises(Malformed):
        extension.find(twice)


def test_behind_the_stop_is_outside_of_the_struct():
    pytest.importorskip("thrift")
    plain = b"\x15\x02\0"
    behind = plain + append_extension(b"\0", b"hello")
    assert fields_by_a_thrift_library(behind) == ([], len(plain))
    assert fields_by_a_thrift_library(append_extension(plain, b"hello"))[0] == [(-16384, b"hello")]


def test_from_the_back_in_and_behind_the_struct_look_alike():
    """One ends in a list of empty structs, the other in a stop of its own: the same byte before the same marker."""
    _, footer = parquet_file()
    assert footer[-2:] == b"\0\0"
    in_struct = append_extension(footer, b"hello")
    behind = footer + append_extension(b"\0", b"hello")
    tail = len(append_extension(b"\0", b"hello"))
    assert in_struct[-tail - 1 :] == behind[-tail - 1 :]
    positions = [kernels.extension.find(data, file_metadata=True).placement for data in (in_struct, behind)]
    assert positions == [0, 1]


def test_the_verifier_passes_a_footer_without_a_schema(tmp_path):
    for tool in ("flatc", "g++"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool} here: nothing compiles the public verifier")
    if not Path("/usr/include/flatbuffers/flatbuffers.h").exists():
        pytest.skip("the FlatBuffers headers are not installed: nothing compiles the public verifier")
    empty = tmp_path / "footers/empty.json"
    empty.parent.mkdir()
    empty.write_text("{}")
    subprocess.run(["flatc", "--cpp", "-o", tmp_path, SCHEMA], check=True)
    subprocess.run(["flatc", "--binary", "-o", empty.parent, SCHEMA, empty], check=True)
    empty.unlink()
    program = tmp_path / "verify"
    source = ROOT / "tests/data/verify_flat.cpp"
    subprocess.run(["g++", "-std=c++17", "-O0", f"-I{tmp_path}", source, "-o", program], check=True)
    done = subprocess.run([program, empty.parent], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "1 files\n")
    payload = next(empty.parent.iterdir()).read_bytes()
    with pytest.raises(ValueError):
        kernels.flat.verify(payload)


def four_bytes(low: bytes, high: bytes) -> tuple[bytes, bytes]:
    """Bounds of more than four bytes as both implementations store them: the first ones, stepped down or up."""
    first, last = (int.from_bytes(bound[:4], "big") for bound in (low, high))
    return (first - 1).to_bytes(4, "big"), (last + 1).to_bytes(4, "big")


def test_a_shortened_decimal_bounds_nothing(tmp_path):
    value = 1 << 96
    stored = value.to_bytes(16, "big", signed=True)
    _, shortened = four_bytes(stored, stored)
    assert int.from_bytes(shortened, "big", signed=True) == 2 < value
    path = tmp_path / "decimal.parquet"
    pq.write_table(pa.table({"d": pa.array([value], pa.decimal128(38, 0))}), path)
    parquetext.upgrade(path, form="flat")
    with parquetext.open(path) as file:
        assert (file.form, file.column("d").max.to_pylist()) == ("flat", [decimal.Decimal(value)])


def test_a_saturated_upper_bound_is_too_low():
    value = b"\xff\xff\xff\xff\x01"
    saturated = min(int.from_bytes(value[:4], "big") + 1, 0xFFFFFFFF).to_bytes(4, "big")
    assert saturated < value


def test_a_prefix_forced_into_utf8_is_another_prefix():
    low, high = b"\x80abc", b"\x80abd"
    prefix = low[:3].decode("utf-8", "replace").encode()
    assert (len(prefix), prefix > high) == (5, True)


def test_the_example_of_a_bound_contradicts_the_rule():
    padded = b"e".ljust(16, b"\0")
    hi8, lo8 = struct.unpack(">QQ", padded)
    assert (hi8, lo8) == (int.from_bytes(b"e", "big") << 56, 0)


def test_null_counts_are_64_bits():
    nulls = 1 << 31
    assert struct.unpack("<i", (nulls & 0xFFFFFFFF).to_bytes(4, "little")) == (-nulls,)
    assert re.search(r"null_count:\s*long", SCHEMA.read_text())


def test_converted_timestamps_are_in_utc():
    """The same footer, its logical type taken out: pyarrow, and we, read the converted one as UTC."""
    from parquetext.footer.elements import parse_element

    instants = pa.table({"t": pa.array([0], pa.timestamp("us", tz="UTC"))})
    head, footer = parquet_file(instants, store_schema=False)
    scan = kernels.scan.scan(footer)
    start, length = scan.elements("bytes_offset")[1], scan.elements("bytes_length")[1]
    element = footer[start : start + length]
    _, _, header, _, end = kernels.thrift.find(element, 10)
    without = element[:header] + element[end:]
    assert leaf_type(parse_element(without)).arrow == pa.timestamp("us", tz="UTC")
    changed = footer[:start] + without + footer[start + length :]
    file = head + changed + len(changed).to_bytes(4, "little") + b"PAR1"
    assert pq.read_schema(io.BytesIO(file)).field("t").type == pa.timestamp("us", tz="UTC")


def test_lz4_is_not_lz4_raw():
    """Hadoop's LZ4, the deprecated codec 5, has its own frame around the block that LZ4_RAW is."""
    content = b"parquet " * 20
    raw = pa.compress(content, codec="lz4_raw", asbytes=True)
    framed = struct.pack(">II", len(content), len(raw)) + raw
    assert pa.decompress(raw, len(content), codec="lz4_raw", asbytes=True) == content
    with pytest.raises((pa.ArrowInvalid, OSError)):
        pa.decompress(framed, len(content), codec="lz4_raw", asbytes=True)


def test_the_schema_has_no_place_for_page_indexes():
    text = SCHEMA.read_text()
    chunk = re.search(r"table ColumnChunk \{(.*?)\}", text, re.S).group(1)
    assert "metadata" in chunk
    assert "index" not in chunk
    _, footer = parquet_file(write_page_index=True)
    scan = kernels.scan.scan(footer)
    assert scan.places("offset_index_offset")[0] > 0


def test_polars_wants_text_in_a_page_header(tmp_path):
    pytest.importorskip("polars")
    path = tmp_path / "page.parquet"
    block = b"hello" + kernels.extension.trailer(b"hello", bytes(range(0x80, 0x90)))
    for payload, readable in ((block, False), (base64.b64encode(block), True)):
        path.write_bytes(file_with_page_extension(payload))
        assert pq.read_table(path)["x"].to_pylist() == [1, 2, 3]
        assert read_many_with("polars", [str(path)], None)[0].ok is readable


def file_with_page_extension(payload: bytes) -> bytes:
    """A file of one data page, whose header carries the extension."""
    head, footer = parquet_file(use_dictionary=False, compression="none")
    chunk = pq.read_metadata(io.BytesIO(head + footer + len(footer).to_bytes(4, "little") + b"PAR1"))
    start = chunk.row_group(0).column(0).data_page_offset
    page_header = head[start : kernels.thrift.struct_end(head, start)]
    longer = append_extension(page_header, payload)
    grown = len(longer) - len(page_header)
    head = head[:start] + longer + head[start + len(page_header) :]
    size = chunk.row_group(0).column(0).total_compressed_size
    footer = footer.replace(zigzag(size), zigzag(size + grown))
    return head + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def test_fastparquet_reads_long_form_ids_as_lengths():
    """Run in a separate process, because it returns memory after the input, or crashes."""
    pytest.importorskip("fastparquet")
    script = """
import sys
from fastparquet.cencoding import NumpyIO, read_thrift
data = bytes.fromhex(sys.argv[1])
value = read_thrift(NumpyIO(bytearray(data)))[1]
print("right" if value == 1 else f"{len(value) > len(data)}")
"""

    def read(data: bytes) -> str:
        done = subprocess.run([sys.executable, "-c", script, data.hex()], capture_output=True, text=True, check=False)
        return done.stdout.strip()

    plain = b"\x15\x02\0"
    assert read(plain) == "right"
    assert read(append_extension(plain, bytes(4))) in ("True", "")


UNKNOWN_FIELD = 100


def test_fastparquet_is_lost_in_a_plain_file_with_an_unknown_field(tmp_path):
    """It takes the id for a length, continues within the value, and reads as many items as it finds there."""
    pytest.importorskip("fastparquet")
    value = bytes(198) + bytes.fromhex("19fcffffffff07")  # after 200 bytes: a list of 2^31 - 1 structs
    field = b"\x08" + zigzag(UNKNOWN_FIELD) + varint(len(value)) + value
    path = tmp_path / "plain.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    script = """
import resource, sys, time, fastparquet
resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 3,) * 2)  # without that of the imports
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
print(fastparquet.ParquetFile(sys.argv[1]).to_pandas()["a"].tolist())
"""

    def read() -> str:
        command = [sys.executable, "-c", script, path]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return "".join(done.stdout.splitlines()[-1:])

    assert read() == "[1]"
    data = path.read_bytes()
    path.write_bytes(with_footer(data, bytes(footer_of(data)[:-1]) + field + b"\0"))
    assert pq.read_table(path).to_pydict() == {"a": [1]}
    assert read() != "[1]"


def values_behind_num_values(path: Path, data: bytes, read: list, expected: list) -> None:
    """Write a file; compare its column as read by pyarrow and the default engine with the result of our decoder."""
    path.write_bytes(data)
    assert pq.ParquetFile(path).read()["x"].to_pylist() == read
    assert parquetext.read_table(path)["x"].to_pylist() == read
    assert parquetext.read_table(path, engine="parquetext")["x"].to_pylist() == expected
    assert "page-values" in {finding.kind for finding in parquetext.verify(path, pages=True).findings}


def test_pyarrow_takes_surplus_values_for_rows_of_the_next_row_group(tmp_path):
    def column(*values: int, **metadata: int) -> Column:
        page = data_page(struct.pack(f"<{len(values)}i", *values), len(values), wire.ENCODING_PLAIN)
        return Column("x", wire.PHYSICAL_INT32, [page], metadata=metadata)

    path = tmp_path / "x.parquet"
    data = file_of_row_groups([([column(1, 2, 9, num_values=2)], 2), ([column(3)], 1)])
    values_behind_num_values(path, data, [1, 2, 9], [1, 2, 3])
    with pq.ParquetFile(path) as file:
        assert [file.read_row_group(number)["x"].to_pylist() for number in range(2)] == [[1, 2], [3]]
    assert pq.read_table(path)["x"].to_pylist() == [1, 2, 3]
    with parquetext.open(path) as file:
        assert [value for batch in file.iter_batches(1) for value in batch["x"].to_pylist()] == [1, 2, 3]


def test_pyarrow_loses_the_end_of_a_list_behind_num_values(tmp_path):
    pages = [list_page([[1]]), list_page(continues=[2, 3])]
    data = list_file([(list_column(pages, num_values=1), 1)])
    values_behind_num_values(tmp_path / "x.parquet", data, [[1]], [[1, 2, 3]])
