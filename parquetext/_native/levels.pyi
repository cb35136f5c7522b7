# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.levels import offsets as offsets
from .._pure.levels import validity as validity
