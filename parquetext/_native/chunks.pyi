# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.chunks import Chunks as Chunks
from .._pure.chunks import begin as begin
