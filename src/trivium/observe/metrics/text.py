"""Numbers as text that Prometheus reads.

Source: Prometheus, "Exposition formats", text format 0.0.4, read 2026-11-21. Buckets are written
cumulatively and end with ``+Inf``; label values escape backslash, quote and line feed.
"""

from collections.abc import Iterator
from typing import Final

from trivium.observe.metrics.counters import Key, Numbers
from trivium.observe.metrics.model import FAMILIES, Family, Sort

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def text(numbers: Numbers) -> str:
    """Return every family with its help, and its numbers sorted by their labels."""
    singles = sorted([*numbers.counts, *numbers.levels])
    spans = sorted(numbers.spans)
    lines: list[str] = []
    for family in FAMILIES:
        lines += (
            f"# HELP {family.name} {family.about}",
            f"# TYPE {family.name} {family.sort.value}",
        )
        if family.sort is Sort.HISTOGRAM:
            for key, span in spans:
                if key[0] == family.name:
                    lines += _histogram(family, key, span)
        else:
            lines += (
                f"{family.name}{_labels(family, key)} {_value(family, value)}"
                for key, value in singles
                if key[0] == family.name
            )
    return "\n".join(lines) + "\n"


def _histogram(family: Family, key: Key, span: list[int]) -> Iterator[str]:
    *counts, sum_us = span
    reached = 0
    for bound, count in zip([*family.bounds_ms, None], counts, strict=True):
        reached += count
        upper = "+Inf" if bound is None else _seconds(bound * 1000)
        yield f"{family.name}_bucket{_labels(family, key, upper)} {reached}"
    yield f"{family.name}_sum{_labels(family, key)} {_seconds(sum_us)}"
    yield f"{family.name}_count{_labels(family, key)} {reached}"


def _labels(family: Family, key: Key, upper: str | None = None) -> str:
    pairs = [
        f'{name}="{value.translate(_ESCAPES)}"'
        for name, value in zip(family.labels, key[1:], strict=True)
    ]
    if upper is not None:
        pairs.append(f'le="{upper}"')
    return f"{{{','.join(pairs)}}}" if pairs else ""


def _value(family: Family, value: int) -> str:
    return _seconds(value) if family.is_micro else str(value)


def _seconds(us: int) -> str:
    """Format microseconds as seconds, exactly: 2500000 is ``2.5``."""
    whole, rest = divmod(us, 1_000_000)
    return f"{whole}.{rest:06}".rstrip("0").rstrip(".")
