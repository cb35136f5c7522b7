"""Public calls as users write them, for type checkers alone: nothing here is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import assert_type
from uuid import UUID

import parquetext
from parquetext import errors, extension, footer, sidecar
from parquetext.edits.advice import Advice
from parquetext.edits.result import Result
from parquetext.footer.columns import Column


def facts(path: Path) -> Sequence[int]:
    with parquetext.open(path) as file:
        assert_type(file, parquetext.File)
        assert_type(file.num_rows, int)
        assert_type(file.created_by, str | None)
        assert_type(file.key_values, dict[bytes, bytes | None])
        price = file.column("price")
        assert_type(price, Column)
        assert_type(file["price"], Column)
        assert_type(list(file), list[str])
        assert_type(file.columns(["price", ("customer", "name")]), list[Column])
        assert_type(price.data_page_offset, memoryview[int])
        assert_type(price.path, tuple[str, ...])
        assert_type([finding.message for finding in file.findings], list[str])
        assert_type(file.row_groups.num_rows, memoryview[int])
        assert_type(file.row_groups[0].num_rows, int)
        assert_type([group.file_offset for group in file.row_groups], list[int])
        return price.num_rows


def changes(path: str) -> Iterator[Result]:
    yield parquetext.upgrade(path, form="flat", in_place=True)
    yield parquetext.encode(path, {"price": "alp"}, max_growth="20%")
    yield parquetext.strip(path, kinds="own")
    yield parquetext.finalize(path, confirm=True)
    yield parquetext.restore(path)
    yield parquetext.recover(path)
    assert_type(parquetext.advise(path), Advice)
    assert_type(parquetext.implementation(), str)


def refused(path: str) -> str | None:
    try:
        parquetext.upgrade(path)
    except errors.Refused as error:
        return error.message
    except errors.ParquetextError as error:
        return error.file
    return None


def blocks(struct: bytes, uuid: UUID) -> bytes:
    grown = extension.append_block(struct, uuid, memoryview(b"mine"))
    assert_type(extension.find(grown), memoryview | None)
    return extension.strip(grown, uuid)


def planned(path: str) -> list[str]:
    assert_type(sidecar.build(path), sidecar.Built)
    with sidecar.open(path) as plan:
        assert_type(plan, sidecar.Plan)
        assert_type(plan.can_skip(0, [("price", ">", 100)]), bool)
    assert_type(footer.scan(path).num_rows, int)
    return parquetext.dataset([path]).files
