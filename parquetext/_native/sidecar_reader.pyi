# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.sidecar_read import BLOOM_KINDS as BLOOM_KINDS
from .._pure.sidecar_read import Chunks as Chunks
from .._pure.sidecar_read import Column as Column
from .._pure.sidecar_read import Footer as Footer
from .._pure.sidecar_read import Reader as Reader
