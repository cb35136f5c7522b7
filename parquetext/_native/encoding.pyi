# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.encoding import decode as decode
from .._pure.encoding import decode_indices as decode_indices
from .._pure.encoding import decode_levels as decode_levels
