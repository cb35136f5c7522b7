"""The registry of footer forms: each module of this package defines one entry, its `SPEC` (see `footer.form_spec`).

Code outside this package asks an entry for its promises and functions, and never for its name, UUID or class.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from ... import extension, wire
from ...errors import ParquetextError

if TYPE_CHECKING:
    from ..form_spec import FormSpec
    from ..tail import Block, Tail

SPECS: tuple[FormSpec, ...] = tuple(
    sorted(
        (import_module(f".{module.name}", __name__).SPEC for module in pkgutil.iter_modules(__path__)),
        key=lambda spec: spec.rank,
    )
)  # ascending by rank: the best form comes first
BY_NAME = {spec.name: spec for spec in SPECS}
BY_MAGIC = {spec.magic: spec for spec in SPECS if spec.magic is not None}
BY_UUID = {spec.uuid: spec for spec in SPECS if spec.uuid is not None and not spec.is_final}
BY_KEY = {**BY_MAGIC, **{uuid.bytes: spec for uuid, spec in BY_UUID.items()}}  # as `kernels.local.own_block` has them
REFERRED = tuple(spec for spec in SPECS if spec.front_bytes)
FRONT_BYTES = max((spec.front_bytes for spec in REFERRED), default=0)  # of a Thrift footer, which show all references
THRIFT = next(spec for spec in SPECS if spec.uuid is None and spec not in REFERRED)
FRAMED = tuple(spec for spec in BY_UUID.values() if spec.trailer_bytes != wire.BLOCK_TRAILER_BYTES)
WRITABLE = {spec.name: spec for spec in SPECS if spec.is_writable}
ALONE = {spec.name: spec for spec in SPECS if spec.is_written_alone}
PREFERRED = {uuid: spec for uuid, spec in BY_UUID.items() if spec.is_preferred}
BLOCKS = frozenset(uuid for uuid, spec in BY_UUID.items() if spec.stands_alone)  # a footer has one of them
MAY_BE_ASIDE = frozenset(uuid for uuid, spec in BY_UUID.items() if spec.placement == extension.ASIDE)
MAGICS = (b"PAR1", b"PARE", *BY_MAGIC)  # at the ends of files
REFUSED_MAGICS = {magic: message for spec in SPECS for magic, message in spec.refused_magics.items()}


class Form(StrEnum):
    """The footer forms by name, and ``auto``: the form that pays off for a file."""

    vars().update({name: name for name in ("auto", *reversed(BY_NAME))})
    __repr__ = str.__repr__

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise ParquetextError(f"unknown footer form {value!r}: use one of {', '.join(cls)}", code=wire.BAD_ARGUMENT)


AUTO = Form("auto")

for _spec in reversed(SPECS):  # of forms with one kind of block, the one beside the Thrift footer names it
    if _spec.uuid is not None and _spec.uuid not in extension.known():
        extension.register(_spec.uuid, _spec.title)


def spec_of(reader: object) -> FormSpec | None:
    """Return the form that a reader reads; of forms with the same readers, the one beside the Thrift footer."""
    kind = type(reader)
    return next((spec for spec in reversed(SPECS) if spec.reader_type is kind), None)


def form_of(block: Block) -> FormSpec | None:
    """Return the form of a block, or None; a block with the trailer of another kind is none."""
    spec = BY_UUID.get(block.uuid)
    return spec if spec is not None and block.trailer == spec.trailer_bytes else None


def best_name(names: Iterable[str]) -> str:
    """Return the best of several forms, or an empty string."""
    return next((spec.name for spec in SPECS if spec.name in names), "")


def best_beside_thrift(names: Iterable[str]) -> str:
    """Return the best of a file's forms, even one that reads do not use; the Thrift form if it has no other."""
    return best_name({*names} - {THRIFT.name}) or THRIFT.name


def names_in(tail: Tail) -> tuple[str, ...]:
    """Return the names of the forms in a file: the whole footer's, then those of its blocks from the back."""
    if tail.is_final:
        return (tail.form.name,)
    referred = (spec.name for spec, _ in tail.referred)
    return (tail.form.name, *(spec.name for spec in map(form_of, tail.blocks) if spec is not None), *referred)


def add_referred(tail: Tail, front: bytes | memoryview) -> None:
    """Add the forms to which the Thrift footer refers to a tail; `front` are the footer's first bytes.

    A form that cannot be used is a finding.
    """
    for spec in () if tail.is_final else REFERRED:
        try:
            block = spec.referred(front[: spec.front_bytes], tail)
        except ParquetextError as error:
            tail.findings.append(spec.finding(error))
            continue
        if block is not None:
            tail.referred.append((spec, block))


def of_new_files(*others: str) -> list[str]:
    """Return the names of the forms that a footer can be given, the best one first, and those of `others`."""
    return [*dict.fromkeys((*WRITABLE, AUTO, *others))]  # a form may be both


def check_writable(name: str, *others: str) -> None:
    """Raise ParquetextError for a form that no footer can be given; `others` are allowed too."""
    known = of_new_files(*others)
    if name not in known:
        form = f"footer form {name!r}"
        problem = f"the {form} cannot be written here" if name in BY_NAME else f"unknown {form}"
        raise ParquetextError(f"{problem}: use one of {', '.join(known)}", code=wire.BAD_ARGUMENT)
