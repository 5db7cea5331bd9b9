"""Protocol version of a messages request."""

import pytest

from trivium.faults import Fault, Kind
from trivium.wire.messages.version import VERSIONS, is_interleaved, is_profiled, version


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


@pytest.mark.parametrize(
    ("betas", "expected"),
    [
        ("interleaved-thinking-2025-05-14", True),
        ("claude-code-20250219, interleaved-thinking-2025-05-14", True),
        ("claude-code-20250219", False),
        ("", False),
    ],
)
def test_thinking_between_calls_is_a_beta(betas, expected):
    """Wherever it stands in the list."""
    assert expected is is_interleaved({"anthropic-beta": betas})
    assert not is_interleaved({})


def test_a_budget_for_a_whole_turn_may_be_above_the_limit_of_one_answer(wires):
    """That is what it is where the model thinks between calls."""
    asked = {
        "model": "m",
        "max_tokens": 4096,
        "messages": [{"role": "user", "content": "Hi"}],
        "thinking": {"type": "enabled", "budget_tokens": 20_000},
    }
    found = wires.read(asked, anthropic_beta="interleaved-thinking-2025-05-14")
    assert 20_000 == found.reasoning.budget
    with pytest.raises(Fault, match="less than max_tokens"):
        wires.read(asked)


def test_a_users_profile_is_named_in_either_header():
    """An empty one names nobody."""
    for name in (b"vendor-user-profile-id", b"anthropic-user-profile-id"):
        assert is_profiled({name: b"uprof_1"})
        assert not is_profiled({name: b""})
    assert not is_profiled({})
