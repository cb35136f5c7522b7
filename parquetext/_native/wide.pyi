# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.wide import instants as instants
from .._pure.wide import integers as integers
from .._pure.wide import timestamps as timestamps
