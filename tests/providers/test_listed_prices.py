"""What vendors put into their lists is read by their own words and units."""

from decimal import Decimal

import msgspec
import pytest

from trivium.providers.listed_prices import listed_price


def said(provider, document):
    return listed_price(provider, msgspec.json.encode(document))


def told(found):
    return {kind: f"{value.normalize():f}" for kind, value in found.price.items()}


@pytest.mark.parametrize(
    ("provider", "entry", "price", "left_out"),
    [
        (
            "openrouter",
            {
                "pricing": {
                    "prompt": "0.00000125", "completion": "0.00001", "request": "0.01",
                    "image": "0.001", "web_search": "0", "input_cache_read": "1.25e-7",
                    "internal_reasoning": "0", "discount": 0.5,
                }
            },
            {
                "input": "1.25", "output": "10", "per_request": "0.01", "cache_read": "0.125",
                "reasoning": "0",
            },
            ("image",),
        ),
        (
            "openai-compatible",
            {"pricing": {"prompt": 0.000001, "completion": "0.000002"}},
            {"input": "1", "output": "2"},
            (),
        ),
        (
            "vercel",
            {"pricing": {"input": "0.00000025", "output": "0.000002", "web_search": "10"}},
            {"input": "0.25", "output": "2"},
            ("web_search",),
        ),
        (
            "together",
            {"pricing": {"hourly": 1, "input": 0.18, "output": 0.59, "base": 0, "finetune": 0}},
            {"input": "0.18", "output": "0.59"},
            (),
        ),
        (
            "deepinfra",
            {"metadata": {"pricing": {"input_tokens": 0.1, "output_tokens": 0.4}}},
            {"input": "0.1", "output": "0.4"},
            (),
        ),
    ],
)  # fmt: skip
def test_each_by_its_own_words(provider, entry, price, left_out):
    found = said(provider, entry)
    assert (price, left_out) == (told(found), found.left_out)


@pytest.mark.parametrize(
    "entry",
    [{}, {"id": "a"}, {"pricing": None}, {"pricing": []}, {"pricing": {}}, {"pricing": {"x": 1}}],
)
def test_most_say_nothing(entry):
    assert said("openai", entry) is None


@pytest.mark.parametrize(
    "raw",
    [b"-1", b'"-1"', b'"1,5"', b"[]", b"{}", b"true", b'"nan"', b'"1e999"',
     b'"' + b"9" * 100 + b'"', b"9" * 100, b'"inf"', b'"\xd9\xa1"'],
)  # fmt: skip
def test_what_is_no_price_is_named_and_never_free(raw):
    """A negative one stands for what varies."""
    entry = b'{"pricing":{"prompt":"0.000001","completion":%b}}' % raw
    found = listed_price("openrouter", entry)
    assert ({"input": Decimal(1)}, ("completion",)) == (found.price, found.left_out)


@pytest.mark.parametrize(
    "entry",
    [
        b'{"pricing":{"prompt":"\\ud800"}}',
        b"",
        b"[",
        b"7",
        b'{"pricing":{"prompt":',
        b"[" * 100_000,
    ],
)
def test_what_is_no_entry_says_nothing(entry):
    assert listed_price("openrouter", entry) is None
