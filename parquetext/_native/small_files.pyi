# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.small_files import AND as AND
from .._pure.small_files import OR as OR
from .._pure.small_files import SmallFiles as SmallFiles
