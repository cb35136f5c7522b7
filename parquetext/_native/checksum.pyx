"""Compute CRC-32 and XXH64."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.object cimport PyObject
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from .capi cimport pqx_crc32, pqx_crc32_implementation, pqx_crc32_with, pqx_xxh64, view_of

__all__ = ["crc32", "crc32_implementations", "crc32_with", "xxh64"]

cdef extern from "Python.h":
    enum:
        METH_FASTCALL
    ctypedef PyObject *(*PyCFunction)(PyObject *, PyObject *)
    ctypedef struct PyMethodDef:
        const char *ml_name
        PyCFunction ml_meth
        int ml_flags
        const char *ml_doc
    object PyCFunction_NewEx(PyMethodDef *method, PyObject *self, object module)

# Below this size, releasing the GIL costs more than the computation.
cdef enum:
    KEEP_LOCK = 32768


cdef object crc32_of(PyObject *module, PyObject *const *arguments, Py_ssize_t count):
    """Compute `crc32` with the fast calling convention.

    Cython builds a tuple of arguments, which takes longer than the checksum of 1 KiB.
    """
    cdef Py_buffer view
    cdef uint32_t crc = 0
    if count < 1 or count > 2:
        raise TypeError(f"crc32 takes 1 or 2 arguments, not {count}")
    if count == 2:
        crc = <object> arguments[1]
    PyObject_GetBuffer(<object> arguments[0], &view, PyBUF_SIMPLE)
    if view.len < KEEP_LOCK:
        crc = pqx_crc32(crc, <const uint8_t *> view.buf, view.len)
    else:
        with nogil:
            crc = pqx_crc32(crc, <const uint8_t *> view.buf, view.len)
    PyBuffer_Release(&view)
    return crc


cdef PyMethodDef _CRC32 = PyMethodDef(
    b"crc32", <PyCFunction> <void *> crc32_of, METH_FASTCALL,
    b"crc32(data, crc=0, /)\n--\n\n"
    b"CRC-32 (IEEE 802.3, as zlib's) of `data`; `crc` is the checksum of what comes before, 0 at the start.")
crc32 = PyCFunction_NewEx(&_CRC32, NULL, __name__)


def crc32_implementations():
    """Return the names of the routines that can run on this CPU, best first."""
    cdef size_t i = 0
    names = []
    while pqx_crc32_implementation(i) != NULL:
        names.append(pqx_crc32_implementation(i).decode("ascii"))
        i += 1
    return tuple(names)


def crc32_with(name, data, uint32_t crc=0):
    """Compute `crc32` by one of `crc32_implementations`; raise ValueError for another name."""
    names = crc32_implementations()
    if name not in names:
        raise ValueError(f"no CRC-32 routine {name!r} here; there is {', '.join(names)}")
    cdef const uint8_t[::1] view = view_of(data)
    cdef size_t which = names.index(name), size = view.shape[0]
    if size:
        with nogil:
            crc = pqx_crc32_with(which, crc, &view[0], size)
    return crc


def xxh64(data, uint64_t seed=0):
    """Return the XXH64 of `data` as an unsigned number."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef size_t size = view.shape[0]
    cdef uint64_t value
    with nogil:
        value = pqx_xxh64(&view[0] if size else NULL, size, seed)
    return value
