"""Numbers are written as Prometheus reads them."""

import re
from pathlib import Path

import msgspec
import pytest

from trivium.conversation.usage import Usage
from trivium.observe.metrics.counters import Numbers
from trivium.observe.metrics.model import (
    FAMILIES,
    FIRST_BYTE,
    KINDS,
    REQUESTS,
    SECONDS,
    SERIES_MAX,
    Sort,
)
from trivium.observe.metrics.text import text

LINE = re.compile(
    r'[a-z_]+(?:\{[a-z]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z]+="(?:[^"\\\n]|\\[\\"n])*")*\})? [0-9.]+'
)
"""One number: its name, its labels, its value."""


@pytest.fixture
def root():
    """Of the repository."""
    return Path(__file__).resolve().parents[3]


def lines(numbers, family):
    """What is written of a family, without help and type."""
    return [one for one in text(numbers).splitlines() if one.startswith(family.name)]


def test_every_family_says_what_it_is_and_means():
    """Also those without a number yet."""
    told = text(Numbers()).splitlines()
    assert 2 * len(FAMILIES) == len(told)
    for i, family in enumerate(FAMILIES):
        assert f"# HELP {family.name} {family.about}" == told[2 * i]
        assert f"# TYPE {family.name} {family.sort.value}" == told[2 * i + 1]


def test_names_are_as_prometheus_wants_them():
    """Counters end in ``_total``, times in seconds; a name occurs once and no help has two lines."""
    assert len(FAMILIES) == len({family.name for family in FAMILIES})
    for family in FAMILIES:
        assert re.fullmatch(r"(trivium|process)_[a-z_]+", family.name)
        assert (family.sort is Sort.COUNTER) == family.name.endswith("_total")
        in_s = family.sort is Sort.HISTOGRAM or (family.is_micro and family.sort is Sort.GAUGE)
        assert in_s == family.name.endswith("_seconds")
        assert (family.sort is Sort.HISTOGRAM) == bool(family.bounds_ms)
        assert sorted(set(family.bounds_ms)) == list(family.bounds_ms)
        assert not set('\\\n"') & set(family.about)


def test_numbers_carry_their_labels_and_stand_in_order():
    """The same every time."""
    counts = [((REQUESTS.name, "chat", m, "a", "200"), n) for m, n in (("z", 1), ("b", 22))]
    assert [
        'trivium_requests_total{operation="chat",model="b",channel="a",status="200"} 22',
        'trivium_requests_total{operation="chat",model="z",channel="a",status="200"} 1',
    ] == lines(Numbers(counts), REQUESTS)


def test_labels_are_escaped():
    """A channel's name is the operator's, and may hold anything."""
    (line,) = lines(Numbers([((REQUESTS.name, "chat", 'a"b\\c\nd', "a", "200"), 1)]), REQUESTS)
    assert r'model="a\"b\\c\nd"' in line
    assert LINE.fullmatch(line)


def test_buckets_add_up():
    """Each holds those before it; the last holds all, and says how many there were."""
    span = [0] * (len(SECONDS.bounds_ms) + 2)
    span[0], span[2], span[-2], span[-1] = 1, 2, 1, 400_012_345
    told = lines(Numbers(spans=[((SECONDS.name, "chat"), span)]), SECONDS)
    assert 'trivium_request_seconds_bucket{operation="chat",le="0.005"} 1' == told[0]
    assert 'trivium_request_seconds_bucket{operation="chat",le="0.01"} 1' == told[1]
    assert 'trivium_request_seconds_bucket{operation="chat",le="0.025"} 3' == told[2]
    assert 'trivium_request_seconds_bucket{operation="chat",le="300"} 3' == told[-4]
    assert 'trivium_request_seconds_bucket{operation="chat",le="+Inf"} 4' == told[-3]
    assert 'trivium_request_seconds_sum{operation="chat"} 400.012345' == told[-2]
    assert 'trivium_request_seconds_count{operation="chat"} 4' == told[-1]


def test_a_text_is_lines_of_help_and_numbers():
    """And ends with one."""
    whole = text(
        Numbers(
            [((REQUESTS.name, "chat", "m", "a", "200"), 1)],
            [((FIRST_BYTE.name, "chat", "a"), [1] * (len(FIRST_BYTE.bounds_ms) + 2))],
            [(("trivium_connections",), 3)],
        )
    )
    assert whole.endswith("\n")
    for line in whole.splitlines():
        assert line.startswith("# ") or LINE.fullmatch(line), line


def test_the_page_has_every_family(root):
    """With its labels and its meaning, in the order they are written."""
    page = (root / "docs/operate/metrics.md").read_text()
    rows = [
        f"| `{one.name}` | {one.sort.value} | {', '.join(f'`{of}`' for of in one.labels)} | {one.about} |"
        for one in FAMILIES
    ]
    assert "\n".join(rows) in page
    for kind in KINDS:
        assert f"`{kind}`" in page
    assert f"{SERIES_MAX:,}" in page


def test_every_kind_of_token_is_one_of_the_record():
    """And none of its counters of tokens is missing."""
    tokens = {
        field.name for field in msgspec.structs.fields(Usage)
        if field.type is int and field.name != "requests"
    }  # fmt: skip
    assert tokens == set(KINDS)
