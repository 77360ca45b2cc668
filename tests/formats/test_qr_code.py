"""QR codes: vectors of the standard, and a decoder that shares nothing with the encoder."""

from __future__ import annotations

import pytest

from hanabilab.errors import FormatError
from hanabilab.formats.qr_code import error_correction, qr_code, qr_text

FORMATS = {
    0b101010000010010: 0,
    0b101000100100101: 1,
    0b101111001111100: 2,
    0b101101101001011: 3,
    0b100010111111001: 4,
    0b100000011001110: 5,
    0b100111110010111: 6,
    0b100101010100000: 7,
}
"""ISO/IEC 18004, Annex C: the format information of level M, and the mask that it names."""
VERSION_7 = 0b000111110010010100
"""Annex D: the version information of version 7."""
BLOCKS_OF = {21: 1, 25: 1, 29: 1, 33: 2, 37: 2, 41: 4, 45: 4, 49: 4, 53: 5}
DATA_OF = {21: 16, 25: 28, 29: 44, 33: 64, 37: 86, 41: 108, 45: 124, 49: 154, 53: 182}
CENTRES = {45: (6, 22, 38), 49: (6, 24, 42), 53: (6, 26, 46)}


def test_error_correction_of_a_known_block() -> None:
    """“HELLO WORLD” in version 1-M, as tutorials work it out."""
    data = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17]
    assert error_correction(data, 10) == [196, 35, 39, 119, 235, 215, 231, 226, 93, 23]


def decode(code: list[list[bool]]) -> str:
    """Read a code as a camera would, apart from correcting errors."""
    size = len(code)
    down = [code[y][8] for y in (0, 1, 2, 3, 4, 5, 7, 8)]
    told = down + [code[8][x] for x in (7, 5, 4, 3, 2, 1, 0)]
    mask = FORMATS[sum(bit << place for place, bit in enumerate(told))]
    bits, upward, x = [], True, size - 1
    while x > 0:
        x -= x == 6
        for y in range(size - 1, -1, -1) if upward else range(size):
            bits += [code[y][at] ^ inverted(mask, y, at) for at in (x, x - 1) if free(y, at, size)]
        upward, x = not upward, x - 2
    words = [
        int("".join("01"[bit] for bit in bits[at : at + 8]), 2) for at in range(0, len(bits) - 7, 8)
    ]
    count, total = BLOCKS_OF[size], DATA_OF[size]
    short, longer = divmod(total, count)
    blocks: list[list[int]] = [[] for _ in range(count)]
    order = [block for _ in range(short) for block in range(count)]
    order += list(range(count - longer, count))
    for block, word in zip(order, words, strict=False):
        blocks[block].append(word)
    data = "".join(f"{word:08b}" for block in blocks for word in block)
    assert data[:4] == "0100"
    length = int(data[4:12], 2)
    return bytes(int(data[12 + 8 * at : 20 + 8 * at], 2) for at in range(length)).decode()


def inverted(mask: int, i: int, j: int) -> bool:
    """Return whether mask `mask` inverts the module in row i and column j (Table 10)."""
    return (
        (i + j) % 2 == 0,
        i % 2 == 0,
        j % 3 == 0,
        (i + j) % 3 == 0,
        (i // 2 + j // 3) % 2 == 0,
        (i * j) % 2 + (i * j) % 3 == 0,
        ((i * j) % 2 + (i * j) % 3) % 2 == 0,
        ((i + j) % 2 + (i * j) % 3) % 2 == 0,
    )[mask]


def free(i: int, j: int, size: int) -> bool:
    """Return whether a module belongs to a codeword, not to a pattern."""
    if i == 6 or j == 6 or (i < 9 and (j < 9 or j >= size - 8)) or (i >= size - 8 and j < 9):
        return False
    if size >= 45 and ((i < 6 and j >= size - 11) or (j < 6 and i >= size - 11)):
        return False
    centres = CENTRES.get(size, () if size == 21 else (6, size - 7))
    corners = ((6, 6), (6, size - 7), (size - 7, 6))
    return not any(
        abs(i - y) <= 2 and abs(j - x) <= 2
        for y in centres
        for x in centres
        if (y, x) not in corners
    )


@pytest.mark.parametrize("length", [1, 14, 15, 26, 42, 62, 84, 106, 122, 152, 180])
def test_codes_are_read_back(length: int) -> None:
    """Each version at its limits, with letters outside of ASCII."""
    text = ("http://192.168.178.23:8000/play?table=q3N#seat=é" * 4).encode()[:length]
    whole = text.decode(errors="ignore")
    whole += "x" * (length - len(whole.encode()))
    assert decode(qr_code(whole)) == whole


def test_patterns_and_version() -> None:
    code = qr_code("x" * 120)
    assert len(code) == 45
    told = [code[bit // 3][45 - 11 + bit % 3] for bit in range(18)]
    assert sum(bit << place for place, bit in enumerate(told)) == VERSION_7
    finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
    for y, x in ((0, 0), (0, 38), (38, 0)):
        seen = ["".join("01"[bit] for bit in row[x : x + 7]) for row in code[y : y + 7]]
        assert seen == finder
    with pytest.raises(FormatError, match="181 bytes are too long"):
        qr_code("x" * 181)


def test_in_a_terminal_all_rows_are_equally_wide() -> None:
    lines = qr_text(qr_code("http://192.168.0.2:8000/")).splitlines()
    assert {len(line) for line in lines} == {len(lines[0])}
    assert len(lines) == (len(lines[0]) + 1) // 2
