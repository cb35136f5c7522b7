# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.ranges import Ranges as Ranges
