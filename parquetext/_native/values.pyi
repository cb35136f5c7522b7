# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.values import bound_buffers as bound_buffers
from .._pure.values import buffers as buffers
