# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.bloom import hashes_of as hashes_of
from .._pure.bloom import insert as insert
from .._pure.bloom import might_contain as might_contain
