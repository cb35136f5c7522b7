# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.varint import decode32 as decode32
from .._pure.varint import decode64 as decode64
from .._pure.varint import decode_many as decode_many
from .._pure.varint import encode as encode
from .._pure.varint import encode_many as encode_many
from .._pure.varint import size as size
from .._pure.varint import zigzag_decode as zigzag_decode
from .._pure.varint import zigzag_encode as zigzag_encode
