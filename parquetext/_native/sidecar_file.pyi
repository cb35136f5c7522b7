# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.sidecar_file import map_file as map_file
from .._pure.sidecar_file import open_untouched as open_untouched
from .._pure.sidecar_file import release_mappings as release_mappings
