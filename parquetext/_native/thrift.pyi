# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.thrift import blanked as blanked
from .._pure.thrift import check_sizes as check_sizes
from .._pure.thrift import fields as fields
from .._pure.thrift import find as find
from .._pure.thrift import path as path
from .._pure.thrift import skip as skip
from .._pure.thrift import struct_end as struct_end
