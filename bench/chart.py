"""Draws docs/performance.svg: processor time of a request, each gateway beside nginx.

usage: chart.py [FILE]

The figures stand here with their source, as docs/performance.md has them; a bar is as long as the
logarithm of its figure, since the dearest is hundreds of times the cheapest.
"""

import math
import sys
from pathlib import Path
from xml.sax.saxutils import escape

FIGURES = (
    ("nginx, a plain proxy", 1.0, "1"),
    ("Trivium, compiled", 3.1, "3.0 to 3.2"),
    ("Busbar 1.5.5, Rust, keys and budgets on", 5.5, "5.5"),
    ("GoModel, Go", 21.0, "20 to 22"),
    ("Portkey, Node", 145.0, "145"),
    ("LiteLLM 1.106, Python", 699.0, "699"),
)
"""Name, times nginx's processor time for one chat request of 0.5 KiB at 32 connections, as text.
Source: one run of bench.py for each, all beside nginx, 2 cores, 2026-11-23."""
WIDTH, LABEL, ROW, TOP = 760, 270, 34, 56
ROOM = WIDTH - LABEL - 90
TICKS = (1, 10, 100, 1000)


def place(value: float) -> float:
    """Where a figure is, in pixels from the axis."""
    return ROOM * math.log10(value) / 3 + 4


def drawn() -> str:
    """The picture."""
    height = TOP + ROW * len(FIGURES) + 34
    out = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
            'font-family="system-ui, sans-serif" font-size="14">'
        ),
        "<title>Processor time of a chat request, nginx as a plain proxy = 1</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        (
            '<text x="16" y="26" font-size="16" font-weight="600" fill="#1c1c1a">'
            "Processor time of a chat request (nginx = 1, logarithmic)</text>"
        ),
    ]
    bottom = TOP + ROW * len(FIGURES)
    for tick in TICKS:
        x = LABEL + place(tick)
        out.append(f'<path d="M{x:.1f} {TOP - 8}V{bottom}" stroke="#ddd"/>')
        out.append(
            f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle" fill="#555">{tick:,}</text>'
        )
    for at, (name, value, shown) in enumerate(FIGURES):
        y = TOP + at * ROW
        ours = name.startswith("Trivium")
        colour, weight = ("#0b6b50", "600") if ours else ("#9aa5a0", "400")
        out.append(
            f'<text x="{LABEL - 12}" y="{y + 17}" text-anchor="end" font-weight="{weight}" '
            f'fill="#1c1c1a">{escape(name)}</text>'
        )
        out.append(
            f'<rect x="{LABEL}" y="{y + 2}" width="{place(value):.1f}" height="20" rx="3" fill="{colour}"/>'
        )
        out.append(
            f'<text x="{LABEL + place(value) + 8:.1f}" y="{y + 17}" fill="#1c1c1a">{shown}</text>'
        )
    return "\n".join([*out, "</svg>\n"])


if __name__ == "__main__":
    folder = Path(__file__).resolve().parents[1]
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else folder / "docs" / "performance.svg"
    file.write_text(drawn())
