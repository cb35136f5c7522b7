# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.sidecar import BLOOM_KINDS as BLOOM_KINDS
from .._pure.sidecar import Chunk as Chunk
from .._pure.sidecar import Chunks as Chunks
from .._pure.sidecar import Column as Column
from .._pure.sidecar import Footer as Footer
from .._pure.sidecar import Reader as Reader
from .._pure.sidecar import Slices as Slices
from .._pure.sidecar import Writer as Writer
from .._pure.sidecar import describe as describe
from .._pure.sidecar import map_file as map_file
from .._pure.sidecar import open_untouched as open_untouched
from .._pure.sidecar import release_mappings as release_mappings
from .._pure.sidecar import runs as runs
