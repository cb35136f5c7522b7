# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.flat_read import Node as Node
