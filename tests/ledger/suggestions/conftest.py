"""Small catalogues with prices that are easy to tell apart."""

import msgspec
import pytest

from trivium.ledger.suggestions.model import read

PLAIN = {
    "format": 1,
    "source": "a list",
    "date": "2026-11-10",
    "licence": "none",
    "providers": {
        "openai": {
            "gpt-x": {
                "names": ["gpt-x-chat"],
                "left_out": ["web searches"],
                "lists": [
                    {
                        "price": {"input": "1.25", "cache_read": "0.125", "output": "10"},
                        "tiers": [{"above": 200000, "price": {"input": "2.5"}}],
                    },
                    {"since": "2027-01-01", "price": {"input": "2", "output": "20"}},
                ],
            },
            "gpt-y": {"lists": [{"price": {"input": "1", "output": "2"}}]},
        }
    },
}


@pytest.fixture
def plain():
    """A catalogue as JSON would have it, to be changed."""
    return msgspec.json.decode(msgspec.json.encode(PLAIN))


@pytest.fixture
def catalogue():
    return read(msgspec.json.encode(PLAIN))
