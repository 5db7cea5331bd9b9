"""Protocol version of a messages request."""

import pytest

from trivium.faults import Fault, Kind
from trivium.wire.messages.version import VERSIONS, version


@pytest.mark.parametrize(
    ("headers", "wanted"),
    [
        ({}, "2023-06-01"),
        ({"anthropic-version": ""}, "2023-06-01"),
        ({"anthropic-version": "2023-06-01"}, "2023-06-01"),
        ({"anthropic-version": " 2026-10-21 "}, "2026-10-21"),
        ({"vendor-version": "2026-10-21"}, "2026-10-21"),
        ({"anthropic-version": "2023-06-01", "vendor-version": "2026-10-21"}, "2023-06-01"),
        ({"anthropic-version": "2026-10-21", "vendor-version": "nonsense"}, "2026-10-21"),
        ({"anthropic-version": " ", "vendor-version": "2026-10-21"}, "2026-10-21"),
    ],
)
def test_the_header_decides_the_version(headers, wanted):
    """The SDKs' header wins; without one the oldest version holds."""
    assert wanted == version(headers)


@pytest.mark.parametrize("name", ["anthropic-version", "vendor-version"])
def test_an_unknown_version_is_refused_by_name(name):
    """The caller reads which header is wrong and what would be right."""
    with pytest.raises(Fault) as caught:
        version({name: "2099-01-01"})
    assert (Kind.INVALID_VALUE, name) == (caught.value.kind, caught.value.param)
    for accepted in VERSIONS:
        assert accepted in caught.value.message
