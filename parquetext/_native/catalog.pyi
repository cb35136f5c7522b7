# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.catalog import bound_columns as bound_columns
