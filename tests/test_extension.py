"""Extensions of structs: append, stack, replace, strip; markers, placements, page headers, limits."""

from __future__ import annotations

import base64
import uuid
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import compact
from support.compact import BINARY, I32, I64, LIST, STRUCT
from support.samples import examples

from parquetext import extension, kernels, wire
from parquetext.errors import Malformed, Refused, Unsupported

pytestmark = pytest.mark.usefixtures("implementation")
LIMITS = settings(
    max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

STRUCT_BYTES = compact.fields([(1, I32, 5, False), (4, BINARY, b"name", False)])
FILE_METADATA = compact.fields(
    [
        (1, I32, 1, False),
        (2, LIST, (STRUCT, [[(4, BINARY, b"root", False)]]), False),
        (3, I64, 0, False),
        (4, LIST, (STRUCT, []), False),
    ]
)
ONE, OTHER = uuid.UUID(int=1), uuid.UUID(int=2)
MARKED = st.sampled_from(("spec", "thrift"))


def structs():
    return compact.struct_bytes(depth=2)


def test_a_block_looks_as_documented():
    payload, kind = b"hello", uuid.UUID(bytes=bytes(range(16)))
    extended = extension.append_block(STRUCT_BYTES, kind, payload)
    block = bytes.fromhex("68656c6c6f86a61036050000002e2f9a16000102030405060708090a0b0c0d0e0f")
    assert extended == STRUCT_BYTES[:-1] + bytes.fromhex("08ffff01") + bytes([33]) + block + b"\x00"
    assert extension.find(extended) == block
    assert extension.append(STRUCT_BYTES, block) == extended


def test_a_struct_without_an_extension():
    assert extension.find(STRUCT_BYTES) is None
    assert len(extension.blocks(STRUCT_BYTES)) == 0
    assert extension.strip(STRUCT_BYTES) == STRUCT_BYTES
    with pytest.raises(Refused):
        extension.replace(STRUCT_BYTES, b"x")


@LIMITS
@given(structs(), st.binary(max_size=300), MARKED, st.booleans())
def test_strip_after_append_gives_back_the_original(struct, payload, marker, page_header):
    extended = extension.append(struct, payload, marker=marker, page_header=page_header)
    assert extension.find(extended, page_header=page_header) == payload
    assert kernels.thrift.struct_end(extended) == len(extended)
    assert extension.strip(extended, page_header=page_header) == struct


@LIMITS
@given(st.binary(max_size=300), MARKED)
def test_an_extension_after_the_stop_of_file_metadata_is_found_and_stripped(payload, marker):
    extended = extension.append(FILE_METADATA, payload, marker=marker, placement="after-stop")
    assert extended.startswith(FILE_METADATA) and extended.endswith(b"\x00")
    assert extension.find(extended) == payload
    assert extension.strip(extended) == FILE_METADATA


@LIMITS
@given(
    structs(),
    st.lists(st.tuples(st.sampled_from((ONE, OTHER)), st.binary(max_size=40)), min_size=1, max_size=4),
    MARKED,
    st.booleans(),
    st.data(),
)
def test_blocks_stack_and_each_strip_restores_the_bytes_before_it(struct, stack, marker, page_header, data):
    states = [struct]
    for kind, payload in stack:
        states.append(extension.append_block(states[-1], kind, payload, marker=marker, page_header=page_header))
    found = extension.blocks(states[-1], page_header=page_header)
    assert [(block.uuid, bytes(block.payload)) for block in found] == stack
    assert not found.findings and not found.free_form
    for (kind, _), before, after in zip(reversed(stack), reversed(states[:-1]), reversed(states[1:]), strict=True):
        assert extension.strip(after, kind, page_header=page_header) == before
    index = data.draw(st.integers(0, len(stack) - 1))
    kind = stack[index][0]
    last = max(i for i, (other, _) in enumerate(stack) if other == kind)
    expected = struct
    for i, (other, payload) in enumerate(stack):
        if i != last:
            expected = extension.append_block(expected, other, payload, marker=marker, page_header=page_header)
    assert extension.strip(states[-1], kind, page_header=page_header) == expected


def test_a_block_that_is_not_there_is_not_stripped():
    extended = extension.append_block(STRUCT_BYTES, ONE, b"x")
    assert extension.strip(extended, OTHER) == extended
    with pytest.raises(Refused):
        extension.replace(extended, b"y", uuid=OTHER)


@pytest.mark.parametrize("placement", ["in-struct", "after-stop"])
def test_stacking_and_replacing_keep_the_marker_and_placement_that_they_find(placement):
    options = {"marker": "thrift", "placement": placement}
    one = extension.append_block(FILE_METADATA, ONE, b"a", **options)
    both = extension.append_block(one, OTHER, b"b")
    assert both == extension.append_block(one, OTHER, b"b", **options)
    replaced = extension.replace(both, b"longer", uuid=ONE)
    expected = extension.append_block(extension.append_block(FILE_METADATA, ONE, b"longer", **options), OTHER, b"b")
    assert replaced == expected
    assert extension.replace(both, b"raw") == extension.append(FILE_METADATA, b"raw", **options)


def test_offsets_of_blocks_count_from_the_struct():
    extended = extension.append_block(extension.append_block(STRUCT_BYTES, ONE, b"first"), OTHER, b"second")
    for block in extension.blocks(extended):
        assert extended[block.offset : block.offset + len(block.payload)] == block.payload


def test_from_the_back_only_the_tail_is_needed():
    extended = extension.append_block(extension.append_block(STRUCT_BYTES, ONE, b"first"), OTHER, b"second")
    tail = extended[-1 - 28 - 6 - 28 - 5 :]
    for some in (extended, tail, extended[-40:]):
        found = extension.blocks_from_back(some)
        assert [bytes(block.payload) for block in found] == [b"first", b"second"][-len(found) :]
        assert all(some[block.offset : block.offset + len(block.payload)] == block.payload for block in found)
    assert len(extension.blocks_from_back(tail)) == 2
    assert len(extension.blocks_from_back(extended[-40:])) == 1
    assert len(extension.blocks_from_back(b"")) == len(extension.blocks_from_back(extended[:-1])) == 0


def test_free_form_bytes_are_returned_and_stacked_on_only_on_request():
    free = extension.append(STRUCT_BYTES, b"whatever")
    assert extension.find(free) == b"whatever"
    assert extension.blocks(free).free_form == b"whatever" and not extension.blocks(free).findings
    with pytest.raises(Refused):
        extension.append_block(free, ONE, b"block")
    on_them = extension.append(
        STRUCT_BYTES, b"whatever" + extension.find(extension.append_block(STRUCT_BYTES, ONE, b"block"))
    )
    found = extension.blocks(on_them)
    assert [bytes(block.payload) for block in found] == [b"block"]
    assert found.free_form == b"whatever" and [finding.kind for finding in found.findings] == ["free-form"]
    assert extension.strip(on_them, ONE) == free
    assert extension.blocks(extension.replace(on_them, b"new", uuid=ONE)).free_form == b"whatever"
    assert extension.strip(extension.append_block(on_them, OTHER, b"more"), OTHER) == on_them


@pytest.mark.parametrize("content", [b"", b"whatever"])
@pytest.mark.parametrize("page_header", [False, True])
def test_wrapped_free_form_bytes_are_unwrapped_when_they_are_alone(content, page_header):
    free = extension.append(STRUCT_BYTES, content, page_header=page_header)
    with pytest.raises(Refused):
        extension.append_block(free, ONE, b"block", page_header=page_header)
    one = extension.append_block(free, ONE, b"block", wrap=True, page_header=page_header)
    two = extension.append_block(one, OTHER, b"more", page_header=page_header)
    found = extension.blocks(two, page_header=page_header)
    assert [(block.uuid, bytes(block.payload)) for block in found] == [
        (wire.UUID_WRAPPED, content),
        (ONE, b"block"),
        (OTHER, b"more"),
    ]
    assert not found.findings and found[0].name == "wrapped free-form bytes"
    assert extension.strip(two, OTHER, page_header=page_header) == one
    assert extension.strip(one, ONE, page_header=page_header) == free
    assert extension.strip(two, page_header=page_header) == STRUCT_BYTES


def test_a_damaged_block_is_free_form():
    extended = bytearray(extension.append_block(STRUCT_BYTES, ONE, b"payload"))
    extended[extended.index(b"payload")] ^= 1
    assert len(extension.blocks(extended)) == 0
    with pytest.raises(Refused):
        extension.append_block(extended, OTHER, b"x")


def test_append_does_not_touch_an_extension():
    with pytest.raises(Refused) as caught:
        extension.append(extension.append(STRUCT_BYTES, b"x"), b"y")
    assert (caught.value.code, caught.value.offset) == (wire.HAS_EXTENSION, len(STRUCT_BYTES) - 1)


def test_two_extensions_are_malformed_and_both_offsets_are_reported():
    one = extension.append(STRUCT_BYTES, b"x")
    two = one[:-1] + bytes.fromhex("08feff03") + b"\x01y\x00"
    for call in (extension.find, extension.strip, extension.blocks):
        with pytest.raises(Malformed) as caught:
            call(two)
        assert (caught.value.offset, caught.value.expected) == (len(one) - 1, len(STRUCT_BYTES) - 1)


def test_after_stop_is_only_for_file_metadata():
    with pytest.raises(Refused):
        extension.append(STRUCT_BYTES, b"x", placement="after-stop")
    behind = STRUCT_BYTES + bytes.fromhex("08ffff01") + b"\x01x\x00"
    assert extension.find(behind) is None
    with pytest.raises(Malformed) as caught:
        extension.strip(behind)
    assert (caught.value.code, caught.value.offset) == (wire.STRAY_BYTES, len(STRUCT_BYTES))


def test_writers_refuse_a_length_that_is_not_minimal():
    loose = STRUCT_BYTES[:-1] + bytes.fromhex("08ffff01") + b"\x81\x00x\x00"
    assert extension.find(loose) == b"x"
    for write in (
        extension.strip,
        lambda struct: extension.append_block(struct, ONE, b""),
        lambda struct: extension.replace(struct, b""),
    ):
        with pytest.raises(Malformed) as caught:
            write(loose)
        assert (caught.value.code, caught.value.offset) == (wire.NON_MINIMAL, len(STRUCT_BYTES) + 3)


def test_writers_refuse_stray_bytes_and_fields_after_the_extension():
    with pytest.raises(Malformed) as caught:
        extension.append(STRUCT_BYTES + b"\x00", b"x")
    assert (caught.value.code, caught.value.offset) == (wire.STRAY_BYTES, len(STRUCT_BYTES))
    between = extension.append(STRUCT_BYTES, b"x")[:-1] + b"\x15\x02\x00"
    assert extension.find(between) == b"x"
    with pytest.raises(Refused):
        extension.strip(between)


def test_a_struct_that_ends_in_a_higher_id_still_takes_one():
    struct = compact.fields([(32767, I32, 1, True)])
    extended = extension.append(struct, b"x")
    assert extension.find(extended) == b"x" and extension.strip(extended) == struct


def test_a_page_headers_extension_is_base64_of_the_whole_stack():
    extended = extension.append_block(STRUCT_BYTES, ONE, b"\xff\xfe", page_header=True)
    extended = extension.append_block(extended, OTHER, b"\x80", page_header=True)
    text = bytes(extension.find(extended))
    text.decode("ascii")
    assert base64.b64decode(text) == extension.find(extended, page_header=True)
    assert [bytes(block.payload) for block in extension.blocks(extended, page_header=True)] == [b"\xff\xfe", b"\x80"]
    with pytest.raises(Malformed):
        extension.find(extension.append(STRUCT_BYTES, b"no base64!"), page_header=True)


def test_an_extension_over_the_limit_is_refused_with_the_limit_in_the_message():
    with pytest.raises(Unsupported, match="the limit is 10"):
        extension.append(STRUCT_BYTES, bytes(11), limit=10)
    with pytest.raises(Unsupported, match="limit"):
        extension.append_block(STRUCT_BYTES, ONE, b"", limit=27)
    assert extension.DEFAULT_LIMIT == 64 << 20
    too_much = bytes(extension.DEFAULT_LIMIT + 1)
    with pytest.raises(Unsupported):
        extension.append(STRUCT_BYTES, too_much)
    assert len(extension.find(extension.append(STRUCT_BYTES, too_much, limit=1 << 30))) == len(too_much)


@pytest.mark.parametrize("options", [{"marker": "other"}, {"placement": "before"}])
def test_unknown_markers_and_placements_are_errors(options):
    with pytest.raises(ValueError):
        extension.append(STRUCT_BYTES, b"", **options)


def test_kinds_are_registered_listed_and_named():
    kind = uuid.uuid4()
    assert extension.name_of(kind) == f"unknown {kind}"
    extension.register(kind, "a test's own")
    extension.register(str(kind), "a test's own")
    assert extension.name_of(kind.bytes) == extension.known()[kind] == "a test's own"
    with pytest.raises(ValueError):
        extension.register(kind, "another")
    assert {wire.UUID_FLAT_FOOTER, wire.UUID_FOOTER_INDEX, wire.UUID_COLUMN_ENCODING} <= extension.known().keys()


@pytest.mark.parametrize("form", [lambda kind: kind, str, lambda kind: kind.bytes])
def test_a_uuid_may_be_given_in_any_form(form):
    assert extension.blocks(extension.append_block(STRUCT_BYTES, form(ONE), b""))[0].uuid == ONE


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=4))
def test_blocks_are_text_on_request_and_are_removed_one_by_one(payloads):
    states = [STRUCT_BYTES]
    for payload in payloads:
        states.append(extension.append_block(states[-1], ONE, payload, text=True))
        assert bytes(extension.find(states[-1])).isascii()
    found = extension.blocks(states[-1])
    assert [bytes(block.payload) for block in found] == payloads and all(block.in_text for block in found)
    for before, after in pairwise(states):
        assert extension.strip(after, ONE) == before
    raw = extension.append_block(states[-1], OTHER, b"raw")
    assert [block.in_text for block in extension.blocks(raw)] == [True] * len(payloads) + [False]
    assert extension.strip(raw, OTHER) == states[-1]
    assert extension.append_block(raw, OTHER, b"more", text=True).count(b"more") == 1
