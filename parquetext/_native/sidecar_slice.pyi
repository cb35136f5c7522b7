# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.sidecar_slice import Slices as Slices
from .._pure.sidecar_slice import runs as runs
