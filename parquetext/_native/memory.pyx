"""Memory of the C library as an object that others use without a copy."""

from cpython.buffer cimport PyBuffer_FillInfo

__all__ = ["Memory"]


cdef class Memory:
    """Bytes, aligned to 64; on huge pages where there are many. It has the buffer protocol, read-only."""

    def __dealloc__(self):
        pqx_release(self.memory.data)

    def __len__(self):
        return self.size

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.memory.data if self.size else <void *> &self.size, self.size, 1, flags)


cdef Memory adopt(pqx_memory *memory, size_t size):
    """The first `size` bytes, which are given up by the caller."""
    cdef Memory made = Memory.__new__(Memory)
    made.memory, made.size = memory[0], size
    memory.data, memory.capacity = NULL, 0
    return made
