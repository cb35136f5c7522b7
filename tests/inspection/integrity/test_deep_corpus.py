"""Real files verified to their last value and laid out: no crash, no hang, and an outcome that is known beforehand."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

IMPALA, TESTING = "impala/testdata/", "parquet-testing/"
TOO_LARGE = f"{TESTING}data/large_string_map.brotli.parquet"  # keys of more than 2 GiB: minutes

# Findings in files that pyarrow reads, with the reason.
FOUND_IN_READABLE = {
    # Entries without an offset for pages that are not there.
    f"{IMPALA}data/alltypes_empty_pages.parquet": {"offset-index"},
    # Levels packed from the least significant bit: pyarrow reads them so, parquetext as the format says.
    f"{IMPALA}data/alltypes_agg_bitpacked_def_levels.parquet": {"engines-differ"},
    # Null pages of required columns.
    f"{TESTING}data/datapage_v1-corrupt-checksum.parquet": {"column-index"},
    f"{TESTING}data/datapage_v1-snappy-compressed-checksum.parquet": {"column-index"},
    f"{TESTING}data/datapage_v1-uncompressed-checksum.parquet": {"column-index"},
    # The row groups' rows are not the file's.
    f"{IMPALA}data/zero_rows_one_row_group.parquet": {"row-count"},
    f"{TESTING}data/repeated_no_annotation.parquet": {"row-count"},
}
# Notes of files that every reader reads: bytes after a chunk's last value, a size without a dictionary's header.
NOTED_IN_READABLE = {
    f"{IMPALA}data/alltypes_empty_pages.parquet": {"chunk-size"},
    f"{IMPALA}data/repeated_values.parquet": {"chunk-size"},
}

# Valid files that pyarrow refuses and our decoder reads: notes, besides the footer tier's findings about the schema.
OURS_ALONE = {
    f"{IMPALA}data/create_table_like_parquet_test.parquet": {"schema", "unreadable"},
    f"{IMPALA}data/decimal_padded_fixed_len_byte_array.parquet": {"undecodable"},
    f"{IMPALA}max_nesting_depth/parquet/int_array/file.parq": {"schema", "unreadable"},
    f"{IMPALA}max_nesting_depth/parquet/int_map/file.parq": {"schema", "unreadable"},
    f"{IMPALA}max_nesting_depth/parquet/struct/file.parq": {"schema", "unreadable"},
    f"{IMPALA}max_nesting_depth/parquet/struct_array/file.parq": {"schema", "unreadable"},
    f"{IMPALA}max_nesting_depth/parquet/struct_map/file.parq": {"schema", "unreadable"},
    f"{TESTING}data/incorrect_map_schema.parquet": {"schema", "unreadable"},
}
# Files declared bad without findings, because the defect is not in their bytes.
DECLARED_BAD_ALONE = {
    f"{IMPALA}data/bad_parquet_data.parquet",
    f"{IMPALA}data/bad_rle_literal_count.parquet",  # indices of 0 bits without a run for them: pyarrow alone objects
    f"{IMPALA}data/schemas/malformed_decimal_tiny.parquet",
    f"{TESTING}bad_data/ARROW-GH-43605.parquet",
    f"{TESTING}shredded_variant/case-043-INVALID.parquet",  # variants that contradict themselves: values, not bytes
    f"{TESTING}shredded_variant/case-084-INVALID.parquet",
    f"{TESTING}shredded_variant/case-125-INVALID.parquet",
}
FUZZED_SOUND = 2
SMALL = 1 << 16  # bytes of the files of the default run

VERIFY = """
import json, sys
import parquetext
from parquetext.inspection import integrity
for path in sys.argv[1:]:
    report = integrity.verify(path, deep=True)
    layout = parquetext.layout(path)
    claimed = sum(layout.parts["length"].to_pylist()) == layout.size
    print(json.dumps([path, report.ok, sorted({found.kind for found in report.findings}), claimed]), flush=True)
"""


def outcomes(corpus, files: list[str]) -> dict[str, tuple[bool, set[str]]]:
    """Whether each file is ok and the kinds of its findings, by a process of their own: nothing may end it."""
    command = [sys.executable, "-c", VERIFY, *(str(corpus / file) for file in files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"ended by {files[len(lines)]}: {done.stderr[-2000:]}"
    assert all(claimed for *_, claimed in lines)
    return {file: (is_ok, set(kinds)) for file, (_, is_ok, kinds, _) in zip(files, lines, strict=True)}


def check(corpus, entries: list[dict]) -> None:
    found = outcomes(corpus, [entry["file"] for entry in entries])
    classes = {entry["file"]: entry["class"] for entry in entries}
    sound = [file for file, (is_ok, _) in found.items() if classes[file] == "fuzz" and is_ok]
    assert len(sound) <= FUZZED_SOUND
    for file, (is_ok, kinds) in found.items():
        match classes[file]:
            case "readable":
                wrong = FOUND_IN_READABLE.get(file, set())
                assert kinds == wrong | NOTED_IN_READABLE.get(file, set()) and is_ok == (not wrong), (file, kinds)
            case "not_read_by_pyarrow":
                assert kinds == OURS_ALONE[file] and is_ok == ("schema" not in kinds), (file, kinds)
            case "encrypted":
                assert is_ok and kinds <= {"encrypted", "signed"}, (file, kinds)
            case "declared_bad":
                assert is_ok == (file in DECLARED_BAD_ALONE), (file, kinds)


def test_a_sample_of_real_files_has_the_outcome_that_is_known(corpus, expected):
    small = [entry for entry in expected if (corpus / entry["file"]).stat().st_size < SMALL]
    listed = FOUND_IN_READABLE.keys() | NOTED_IN_READABLE.keys() | OURS_ALONE.keys() | DECLARED_BAD_ALONE
    chosen = {entry["file"]: entry for entry in [*small[::4], *(one for one in expected if one["file"] in listed)]}
    assert len(chosen) > 100
    check(corpus, list(chosen.values()))


@pytest.mark.usefixtures("long")
def test_every_real_file_has_the_outcome_that_is_known(corpus, expected):
    check(corpus, [entry for entry in expected if entry["file"] != TOO_LARGE])


@pytest.mark.usefixtures("long")
def test_pages_of_few_bytes_that_hold_gigabytes_are_noted_as_not_decoded(corpus):
    is_ok, kinds = outcomes(corpus, [TOO_LARGE])[TOO_LARGE]
    assert is_ok and kinds == {"undecoded"}
