# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.sidecar_write import Chunk as Chunk
from .._pure.sidecar_write import Writer as Writer
