from .column_api cimport pqx_page_table


cdef class PageTable:
    cdef pqx_page_table table
