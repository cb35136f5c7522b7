# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.fsst import decode as decode
from .._pure.fsst import encode as encode
from .._pure.fsst import value as value
