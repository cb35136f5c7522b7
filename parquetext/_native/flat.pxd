from .capi cimport pqx_buffer, pqx_error, pqx_flat_extension

cdef pqx_flat_extension *slots_of(list slots) except NULL
cdef bytes taken(pqx_buffer *out, int status, const pqx_error *error)
