# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.pfor import decode as decode
from .._pure.pfor import encode as encode
