# Functions of the operating system, as the C library isolates them.
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

cdef extern from "<errno.h>" nogil:
    int ENOTSUP
cdef extern from "base/port.h" nogil:
    int PQX_IS_REGULAR, PQX_IS_DIRECTORY
    struct pqx_file_facts:
        int kind
        uint32_t owner
        uint64_t size, device, inode
        int64_t modified, changed
    int pqx_open_file(const char *path)
    void pqx_close_file(int fd)
    int pqx_get_facts(int fd, pqx_file_facts *facts)
    int pqx_get_facts_of_path(const char *path, pqx_file_facts *facts)
    uint32_t pqx_get_user()
    int64_t pqx_read_at(int fd, uint64_t offset, void *into, size_t size)
    int pqx_read_exactly(int fd, uint64_t offset, void *into, size_t size)
    int pqx_map_file(int fd, size_t size, const uint8_t **start)
    void pqx_unmap_file(const uint8_t *start, size_t size)
cdef extern from "Python.h":
    object PyUnicode_EncodeFSDefault(object text)
