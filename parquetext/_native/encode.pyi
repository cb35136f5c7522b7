# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.encode import dictionary_of as dictionary_of
from .._pure.encode import encode as encode
from .._pure.encode import indices as indices
from .._pure.encode import levels as levels
