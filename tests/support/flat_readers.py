"""Flat footers written, opened and asked for all that they know, by either implementation."""

from __future__ import annotations

from support.flat_payloads import Memory, outcome
from support.form_readers import everything_of, module

from parquetext import kernels


def open_payload(
    payload: bytes, package: str | None = None, *, before: bytes = b"", behind: bytes = b"", tail: int = 4096
):
    flat = module(package, "flat") if package else kernels.flat
    file = before + payload + behind
    return flat.Reader(Memory(file), len(before), len(payload), file[-tail:] if tail else b"")


def write(footer: bytes) -> bytes:
    return bytes(kernels.flat.write(kernels.scan.scan(footer), verbatim=False))


def write_with(package: str, footer: bytes) -> bytes:
    return bytes(module(package, "flat").write(module(package, "scan").scan(footer), verbatim=False))


def everything(payload: bytes, package: str | None = None, **position) -> dict:
    """Call every function of a reader, and return the results together with those of the whole payload."""
    found = everything_of(lambda: open_payload(payload, package, **position))
    if "open" in found:
        return found
    flat = module(package, "flat") if package else kernels.flat
    found["to thrift",] = outcome(lambda: bytes(flat.to_thrift(payload)))
    found["verify",] = outcome(flat.verify, payload)
    return found
