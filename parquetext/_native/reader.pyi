# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.name_table import Node as Node
