# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.packed import Reader as Reader
from .._pure.packed import to_thrift as to_thrift
from .._pure.packed import verify as verify
from .._pure.packed import write as write
