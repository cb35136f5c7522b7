# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.sidecar_write import describe as describe
