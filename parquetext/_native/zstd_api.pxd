from libc.stdint cimport uintptr_t

ctypedef void *(*create_context)()
ctypedef size_t (*release_context)(void *)
ctypedef size_t (*decompress)(void *, void *, size_t, const void *, size_t)
ctypedef unsigned int (*is_error)(size_t)
ctypedef size_t (*begin)(void *)

cdef extern from "page/zstd.h" nogil:
    ctypedef struct pqx_zstd_input:
        pass
    ctypedef struct pqx_zstd_output:
        pass

ctypedef size_t (*go_on)(void *, pqx_zstd_output *, pqx_zstd_input *)

cdef extern from "page/zstd.h" nogil:
    ctypedef struct pqx_zstd_library:
        create_context create
        release_context release
        decompress decompress
        is_error is_error
        begin begin
        go_on go_on
    void pqx_zstd_use(const pqx_zstd_library *library)


cdef inline int use_libzstd() except -1:
    """Connect this module's copy of the C library to the system's libzstd, if there is one."""
    from parquetext.libraries import libzstd

    cdef pqx_zstd_library library
    found = libzstd()
    if found is not None:
        library.create = <create_context> <uintptr_t> found[0]
        library.release = <release_context> <uintptr_t> found[1]
        library.decompress = <decompress> <uintptr_t> found[2]
        library.is_error = <is_error> <uintptr_t> found[3]
        library.begin = <begin> <uintptr_t> found[4]
        library.go_on = <go_on> <uintptr_t> found[5]
        pqx_zstd_use(&library)
    return 0
