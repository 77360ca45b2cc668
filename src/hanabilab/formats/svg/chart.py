"""Small charts for notebooks, in the colour of the text around them."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["small_histogram", "small_line"]

WIDTH, HEIGHT, BELOW = 420, 110, 16


def small_histogram(counts: Sequence[int], label: str) -> str:
    """Return bars for how often each number from 0 on came up."""
    step, most, total = WIDTH / max(1, len(counts)), max(counts, default=0) or 1, sum(counts) or 1
    parts = []
    for number, count in enumerate(counts):
        height = (HEIGHT - 4) * count / most
        x = number * step
        if count:
            parts.append(
                f'<rect x="{x + 1:.1f}" y="{HEIGHT - height:.1f}" width="{step - 2:.1f}" '
                f'height="{height:.1f}" fill="currentColor" opacity="0.65">'
                f"<title>{number}: {100 * count / total:.2f} %</title></rect>"
            )
        if number % 5 == 0:
            parts.append(
                f'<text x="{x + step / 2:.1f}" y="{HEIGHT + BELOW - 3}" font-size="10" '
                f'text-anchor="middle" fill="currentColor">{number}</text>'
            )
    return _framed("".join(parts), label)


def small_line(values: Sequence[int], most: int, label: str) -> str:
    """Return steps from one value to the next, from 0 to `most`, with the last ones named."""
    step = (WIDTH - 30) / max(1, len(values))
    height = [HEIGHT - (HEIGHT - 12) * value / max(1, most) for value in values]
    path = "".join(f"L{i * step:.1f} {y:.1f}H{(i + 1) * step:.1f}" for i, y in enumerate(height))
    line = (
        f'<path d="M0 {height[0]:.1f}{path}" fill="none" stroke="currentColor" stroke-width="2"/>'
    )
    end = (
        f'<text x="{len(values) * step + 4:.1f}" y="{height[-1] + 4:.1f}" font-size="11" '
        f'fill="currentColor">{values[-1]}</text>'
    )
    return _framed(line + end, label)


def _framed(inside: str, label: str) -> str:
    base = f'<path d="M0 {HEIGHT}H{WIDTH}" stroke="currentColor" opacity="0.5"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT + BELOW}" '
        f'width="{WIDTH}" height="{HEIGHT + BELOW}" role="img" aria-label="{label}">'
        f"{base}{inside}</svg>"
    )
