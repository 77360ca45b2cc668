"""QR codes of short texts: the address of a server or of a seat, for the camera of a phone.

A plain implementation of ISO/IEC 18004 for one case: bytes, error correction level M, versions 1 to
9 (up to 180 bytes). A code is a square of modules, True where it is dark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from hanabilab.errors import FormatError

__all__ = ["error_correction", "qr_code", "qr_text"]

Modules = list[list[bool]]

BLOCKS = {
    1: (10, (16,)),
    2: (16, (28,)),
    3: (26, (44,)),
    4: (18, (32,) * 2),
    5: (24, (43,) * 2),
    6: (16, (27,) * 4),
    7: (18, (31,) * 4),
    8: (22, (38, 38, 39, 39)),
    9: (22, (36, 36, 36, 37, 37)),
}
"""For each version: error correction codewords of a block, and data codewords of each block."""
ALIGNMENT = {1: (), 7: (6, 22, 38), 8: (6, 24, 42), 9: (6, 26, 46)}
"""Coordinates of alignment patterns; versions 2 to 6 have 6 and `size` - 7."""
LEVEL_M = 0b00
BYTES, PADDING = 0b0100, (0xEC, 0x11)
FIELD, FORMAT_GENERATOR, FORMAT_MASK, VERSION_GENERATOR = 0x11D, 0x537, 0x5412, 0x1F25
QUIET = 2
"""Light modules around a code in a terminal."""
MASKS = (
    lambda x, y: (x + y) % 2,
    lambda x, y: y % 2,
    lambda x, y: x % 3,
    lambda x, y: (x + y) % 3,
    lambda x, y: (x // 3 + y // 2) % 2,
    lambda x, y: x * y % 2 + x * y % 3,
    lambda x, y: (x * y % 2 + x * y % 3) % 2,
    lambda x, y: ((x + y) % 2 + x * y % 3) % 2,
)
"""A module is inverted where its mask is 0."""


def qr_code(text: str) -> Modules:
    """Return the QR code of a text, without the light border that it needs."""
    data = text.encode()
    version = next((each for each in BLOCKS if len(data) + 2 <= sum(BLOCKS[each][1])), None)
    if version is None:
        raise FormatError(f"text: {len(data)} bytes are too long for a QR code; at most 180")
    codewords = _interleave(version, _data_codewords(data, sum(BLOCKS[version][1])))
    drawings = (Drawing(version, codewords, mask).modules for mask in range(len(MASKS)))
    return min(drawings, key=_penalty)


def _data_codewords(data: bytes, length: int) -> list[int]:
    """Return mode, length, data, terminator and padding as codewords."""
    bits = f"{BYTES:04b}{len(data):08b}" + "".join(f"{byte:08b}" for byte in data) + "0000"
    words = [int(bits[first : first + 8], 2) for first in range(0, len(bits), 8)]
    return words + [PADDING[place % 2] for place in range(length - len(words))]


def _interleave(version: int, data: Sequence[int]) -> list[int]:
    """Return the codewords of all blocks, with their error correction, in the order of drawing."""
    correction, sizes = BLOCKS[version]
    blocks, first = [], 0
    for size in sizes:
        blocks.append(list(data[first : first + size]))
        first += size
    checks = [error_correction(block, correction) for block in blocks]
    longest = max(sizes)
    words = [block[at] for at in range(longest) for block in blocks if at < len(block)]
    return words + [check[at] for at in range(correction) for check in checks]


def _multiply(a: int, b: int) -> int:
    """Return the product of two elements of the field with 256 elements."""
    product = 0
    for bit in reversed(range(8)):
        product = (product << 1) ^ (product >> 7) * FIELD ^ (b >> bit & 1) * a
    return product


def error_correction(data: Sequence[int], count: int) -> list[int]:
    """Return the Reed-Solomon codewords of a block."""
    generator, root = [1], 1
    for _ in range(count):
        shifted = [*generator, 0]
        for place, factor in enumerate(generator):
            shifted[place + 1] ^= _multiply(factor, root)
        generator, root = shifted, _multiply(root, 2)
    rest = [0] * count
    for word in data:
        factor = word ^ rest[0]
        rest = [
            each ^ _multiply(part, factor)
            for each, part in zip([*rest[1:], 0], generator[1:], strict=True)
        ]
    return rest


def _with_checksum(value: int, generator: int) -> int:
    """Return a value followed by the remainder of its division by a generator polynomial."""
    width = generator.bit_length() - 1
    rest = value << width
    while rest.bit_length() > width:
        rest ^= generator << (rest.bit_length() - 1 - width)
    return value << width | rest


class Drawing:
    """The modules of a code with one mask."""

    def __init__(self, version: int, codewords: Sequence[int], mask: int) -> None:
        self.version = version
        self.size = 17 + 4 * version
        self.modules: Modules = [[False] * self.size for _ in range(self.size)]
        self.fixed: Modules = [[False] * self.size for _ in range(self.size)]
        self._draw_patterns()
        self._draw_format(mask)
        bits = (word >> bit & 1 for word in codewords for bit in reversed(range(8)))
        for x, y in self._free_modules():
            self.modules[y][x] = bool(next(bits, 0)) != (MASKS[mask](x, y) == 0)

    def _fix(self, x: int, y: int, dark: bool) -> None:
        self.modules[y][x], self.fixed[y][x] = dark, True

    def _draw_patterns(self) -> None:
        last = self.size - 1
        for at in range(self.size):
            self._fix(at, 6, at % 2 == 0)
            self._fix(6, at, at % 2 == 0)
        for x, y in ((3, 3), (last - 3, 3), (3, last - 3)):
            self._draw_square(x, y, 4)
        places = ALIGNMENT.get(self.version, (6, last - 6))
        corners = {(6, 6), (6, last - 6), (last - 6, 6)}
        for x, y in ((x, y) for x in places for y in places if (x, y) not in corners):
            self._draw_square(x, y, 2)
        if self.version in ALIGNMENT and self.version > 1:
            bits = _with_checksum(self.version, VERSION_GENERATOR)
            for bit in range(18):
                dark, far = bool(bits >> bit & 1), self.size - 11 + bit % 3
                self._fix(far, bit // 3, dark)
                self._fix(bit // 3, far, dark)

    def _draw_square(self, centre_x: int, centre_y: int, reach: int) -> None:
        """Draw a finder pattern with its light border (reach 4), or an alignment pattern (2)."""
        for y in range(max(0, centre_y - reach), min(self.size, centre_y + reach + 1)):
            for x in range(max(0, centre_x - reach), min(self.size, centre_x + reach + 1)):
                distance = max(abs(x - centre_x), abs(y - centre_y))
                dark = distance not in (2, 4) if reach == 4 else distance != 1
                self._fix(x, y, dark)

    def _draw_format(self, mask: int) -> None:
        bits = _with_checksum(LEVEL_M << 3 | mask, FORMAT_GENERATOR) ^ FORMAT_MASK
        last = self.size - 1
        down = [0, 1, 2, 3, 4, 5, 7, 8, *range(last - 6, last + 1)]
        across = [last - at for at in range(8)] + [7, 5, 4, 3, 2, 1, 0]
        for bit in range(15):
            self._fix(8, down[bit], bool(bits >> bit & 1))
            self._fix(across[bit], 8, bool(bits >> bit & 1))
        self._fix(8, last - 7, True)

    def _free_modules(self) -> Iterator[tuple[int, int]]:
        """Yield the modules of the codewords: columns in pairs from the right, up and down."""
        rights = [*range(self.size - 1, 7, -2), 5, 3, 1]
        for number, right in enumerate(rights):
            rows = range(self.size)
            for y in reversed(rows) if number % 2 == 0 else rows:
                for x in (right, right - 1):
                    if not self.fixed[y][x]:
                        yield x, y


def _penalty(modules: Modules) -> int:
    """Return how hard a code is to read: runs, blocks, false finder patterns, imbalance."""
    lines = [*modules, *(list(column) for column in zip(*modules, strict=True))]
    runs = [len(list(run)) for line in lines for _, run in groupby(line)]
    penalty = sum(length - 2 for length in runs if length >= 5)
    for upper, lower in pairwise(modules):
        for at in range(len(upper) - 1):
            penalty += 3 * (upper[at] == upper[at + 1] == lower[at] == lower[at + 1])
    for line in lines:
        text = "".join("01"[module] for module in line)
        penalty += 40 * (text.count("00001011101") + text.count("10111010000"))
    dark = sum(map(sum, modules)) / len(modules) ** 2
    return penalty + 10 * int(abs(dark - 0.5) * 20)


def qr_text(modules: Modules) -> str:
    """Return a code for a terminal with a dark background: two rows of modules a line."""
    wide = len(modules) + 2 * QUIET
    empty = [[False] * wide for _ in range(QUIET)]
    framed = [[False] * QUIET + row + [False] * QUIET for row in modules]
    rows = [*empty, *framed, *empty]
    if len(rows) % 2:
        rows.append([False] * wide)
    signs = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return "\n".join("".join(signs[pair] for pair in zip(*two, strict=True)) for two in pairs)
