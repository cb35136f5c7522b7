# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.required import Missing as Missing
from .._pure.required import find_missing as find_missing
