"""A document while it is matched: the position, its limit, and the claims of bytes."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Claim", "Document", "Mismatch", "Owner"]

NOBODY = "nobody"


class Mismatch(Exception):
    """The document does not match its description.

    Attributes
    ----------
    offset : int
        Of the byte that does not fit.
    """

    def __init__(self, offset: int, message: str):
        super().__init__(offset, message)
        self.offset, self.message = offset, message

    def __str__(self) -> str:
        return f"byte {self.offset}: {self.message}"


class Owner(NamedTuple):
    """A claim of bytes: a kind and its index; -1 if there is only one."""

    kind: str
    row_group: int = -1
    column: int = -1
    page: int = -1


class Claim(NamedTuple):
    begin: int
    end: int
    owner: Owner


class Document:
    """Bytes, and the state of matching them. Places within it are bits.

    Attributes
    ----------
    data : bytes
        The current bits: the file, or decoded bytes.
    at, limit : int
        The position of matching, and its limit.
    is_little : bool
        Whether ordered numbers have their least significant byte first.
    owner : Owner or None
        The owner of the bytes that are matched; None if they are only inspected.
    claims : list of Claim
        In the order of matching.
    is_reversed : bool
        Whether the number that is matched now is an ordered one, its least significant byte first.
    text : int
        The begin of the base64 text from which `data` was decoded, if it is not the file.
    field : int
        Id of the last field of the struct that is matched now.
    depth : int
        Rules within rules.
    noted : dict
        Of rules that functions look up the variables of each match, in order.
    """

    def __init__(self, data: bytes):
        self.file = self.data = data
        self.at, self.limit = 0, len(data) * 8
        self.is_little = False
        self.owner: Owner | None = Owner(NOBODY)
        self.claims: list[Claim] = []
        self.noted: dict[str, list[dict]] = {}
        self.is_reversed = False
        self.text = 0
        self.field = 0
        self.depth = 0
        self._claimed = [0, 0, None]  # the last claim, while it grows

    @property
    def here(self) -> int:
        """The byte at the current position."""
        return self.at >> 3

    def fail(self, message: str, at: int | None = None) -> Mismatch:
        """The error to raise, at so many bits."""
        position = (self.at if at is None else at) >> 3
        return Mismatch(position if self.data is self.file else self.text + position * 4 // 3, message)

    def take(self, bits: int) -> int:
        """Skip so many bits, claim them, and return their begin."""
        begin, end = self.at, self.at + bits
        if end > self.limit:
            left = (self.limit - begin) / 8
            raise self.fail(f"{bits / 8:g} bytes are needed, {left:g} are left")
        self.at = end
        if self.owner is not None and self.data is self.file:
            last = self._claimed
            if last[1] == begin and last[2] is self.owner:
                last[1] = end
            else:
                self._settle()
                self._claimed = [begin, end, self.owner]
        return begin

    def number(self, bits: int) -> int:
        """The next bits as a number, the most significant one first."""
        begin = self.take(bits)
        if not (begin | bits) & 7:
            return int.from_bytes(self.data[begin >> 3 : (begin + bits) >> 3], "little" if self.is_reversed else "big")
        end = begin + bits
        whole = int.from_bytes(self.data[begin >> 3 : (end + 7) >> 3], "big")
        return whole >> (-end & 7) & (1 << bits) - 1

    def bytes(self, begin: int, end: int) -> bytes:
        """Return bytes of the current bits, by bit offsets."""
        return self.data[begin >> 3 : end >> 3]

    def mark(self) -> tuple:
        """Return the mark that `go_back` needs to undo everything after it."""
        self._settle()
        counts = {name: len(found) for name, found in self.noted.items()}
        state = self.at, self.limit, self.data, self.owner, self.field, self.depth
        return state, len(self.claims), counts

    def go_back(self, mark: tuple) -> None:
        """Undo all matches since the mark."""
        self._claimed = [0, 0, None]
        state, claims, noted = mark
        self.at, self.limit, self.data, self.owner, self.field, self.depth = state
        self.is_reversed = False
        del self.claims[claims:]
        for name, found in self.noted.items():
            del found[noted.get(name, 0) :]

    def _settle(self) -> None:
        begin, end, owner = self._claimed
        if end > begin:
            self.claims.append(Claim(begin, end, owner))
        self._claimed = [0, 0, None]

    def unclaimed(self) -> list[tuple[int, int]]:
        """Return the unclaimed ranges of the file, in bits."""
        self._settle()
        gaps, at = [], 0
        for begin, end, _ in sorted(self.claims):
            if begin > at:
                gaps.append((at, begin))
            at = max(at, end)
        if at < len(self.file) * 8:
            gaps.append((at, len(self.file) * 8))
        return gaps

    def account(self) -> list[Claim]:
        """All claims by bytes, in the order of the file; neighbours of one owner are one.

        Raises
        ------
        Mismatch
            At the first byte that is claimed twice, or not at all.
        """
        self._settle()
        parts: list[Claim] = []
        at = 0
        for begin, end, owner in sorted(self.claims):
            if begin < at:
                raise self.fail(f"claimed for {parts[-1].owner.kind} and for {owner.kind}", begin)
            if begin > at:
                raise self.fail("nothing claims this byte", at)
            if owner.kind == NOBODY:
                raise self.fail("a byte that is matched outside of every kind", begin)
            if parts and parts[-1].owner == owner:
                parts[-1] = Claim(parts[-1].begin, end, owner)
            else:
                parts.append(Claim(begin, end, owner))
            at = end
        if at < len(self.file) * 8:
            raise self.fail("nothing claims this byte", at)
        return [Claim(begin // 8, end // 8, owner) for begin, end, owner in parts]
