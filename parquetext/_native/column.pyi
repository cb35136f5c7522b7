# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.column import Column as Column
from .._pure.column import Decoded as Decoded
from .._pure.column import codecs as codecs
from .._pure.column import from_file as from_file
