"""The kinds of parts that a byte of a Parquet file can belong to, and their groups in pictures."""

from __future__ import annotations

from typing import NamedTuple

from ...footer.forms import SPECS


class Kind(NamedTuple):
    """The kind of a part of a file."""

    title: str
    group: str


_TEXT = """
values: values
    values = values
    levels-and-values = levels and values, compressed together
    encrypted-data = encrypted pages
    index-page = index page
    unknown-page = page of an unknown type
dictionary: dictionaries
    dictionary = dictionary page
levels: levels
    repetition-levels = repetition levels
    definition-levels = definition levels
copies: copies in other encodings
    copy-header = page header of a copy
    copy-levels = levels of a copy
    copy-values = values of a copy
    unread-copy = copy without readable pages
headers: page headers
    page-header = page header
indexes: page indexes
    column-index = column index
    offset-index = offset index
bloom: Bloom filters
    bloom-header = Bloom filter header
    bloom-bitset = Bloom filter bitset
    bloom-filter = Bloom filter, encrypted
footer: footer
    magic = magic
    schema = schema element
    row-group = row group metadata
    chunk-metadata = column chunk metadata
    key-value = key-value
    column-orders = column orders
    created-by = created by
    footer-field = other fields of the footer
    unread-footer = footer that does not parse
    encryption = encryption metadata
    encrypted-footer = encrypted footer
    signature = signature
    footer-length = footer length
extension: extensions
    extension-header = extension marker and length
    reference = reference to blocks aside
    {forms}
    column-extension = extension of a column chunk, which leads to its copies
    original-block = where the original's bytes are
    original-rest = footer and page indexes of the original
    block = block of another kind
    free-form = free-form extension bytes
    block-trailer = block trailer
    alignment = zero bytes in front of blocks aside
unused: unused
    metadata-copy = copy of a column chunk's metadata
    padding = zero bytes
    dead-pages = pages that no footer leads to
    dead-footer = footer of an earlier version
    dead-block = block of an earlier footer
    unread-pages = column chunk without readable pages
    stray = bytes after the footer's struct
    gap = unclaimed bytes
"""


def _parse(text: str) -> tuple[dict[str, str], dict[str, Kind]]:
    """Return the titles of groups, whose kinds are shown together, and the kinds."""
    groups: dict[str, str] = {}
    kinds: dict[str, Kind] = {}
    group = ""
    for line in text.strip().splitlines():
        if line.startswith(" "):
            name, _, title = line.strip().partition(" = ")
            kinds[name] = Kind(title, group)
        else:
            group, _, title = line.partition(": ")
            groups[group] = title
    return groups, kinds


_OF_FORMS = {spec.part_kind: spec.title for spec in SPECS if spec.part_kind != "block"}
GROUPS, KINDS = _parse(_TEXT.replace("{forms}", "\n    ".join(map(" = ".join, _OF_FORMS.items()))))


def group_of(kind: str) -> str:
    """Return the name of the group that a kind is shown with."""
    return KINDS[kind].group
