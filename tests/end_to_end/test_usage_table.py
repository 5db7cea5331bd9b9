"""One record of what was used: read from every vendor, written for every client, billed once.

The table of docs/wire/usage.md as numbers. Sources of the cases: the vendors' references, read on
2026-11-21, and counts from issue reports of other gateways (docs/traps.md, group G).
"""

from decimal import Decimal

import msgspec
import pytest

from trivium.conversation.usage import Usage
from trivium.ledger.cost import cost, tariff_of
from trivium.routing.model import PriceRow
from trivium.wire import openai_shapes
from trivium.wire.chat import write_usage as chat
from trivium.wire.cohere import usage as cohere
from trivium.wire.converse import read_usage as converse
from trivium.wire.converse import write_answer_parts as conversed
from trivium.wire.generate import read_usage as generate
from trivium.wire.generate import write_usage
from trivium.wire.messages import read_usage as messages
from trivium.wire.messages.write_answer_parts import counters
from trivium.wire.responses.response_object import usage_object

READERS = {
    "chat": lambda raw: openai_shapes.usage(msgspec.json.encode(raw)),
    "responses": lambda raw: openai_shapes.usage(msgspec.json.encode(raw)),
    "messages": messages.usage,
    "generate": generate.usage,
    "converse": converse.usage,
    "cohere": lambda raw: cohere.usage(msgspec.json.encode(raw)),
}
WRITERS = {
    "chat": chat.written,
    "responses": usage_object,
    "messages": counters,
    "generate": write_usage.metadata,
    "converse": conversed.counters,
    "cohere": cohere.written,
}

# every class has a price of its own, so that a token in the wrong one shows in the bill
TARIFF = tariff_of(
    "m",
    PriceRow(
        price={
            kind: Decimal(number) / 1000
            for kind, number in {
                "input": 1, "cache_read": 10, "cache_write_5m": 100, "cache_write_1h": 1_000,
                "output": 10_000, "reasoning": 100_000, "audio_input": 1_000_000,
                "audio_output": 10_000_000, "image_input": 100_000_000, "image_output": 10**9,
            }.items()
        }
    ),
)  # fmt: skip

CASES = [
    ("chat", {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}, Usage(fresh=9, output=2)),
    ("chat", {"prompt_tokens": 20_212, "completion_tokens": 5,
              "prompt_tokens_details": {"cached_tokens": 16_298}},
     Usage(fresh=3_914, cache_read=16_298, output=5)),
    ("chat", {"prompt_tokens": 100, "completion_tokens": 50,
              "prompt_tokens_details": {"cached_tokens": 10, "cache_write_tokens": 20,
                                        "audio_tokens": 5, "image_tokens": 7},
              "completion_tokens_details": {"reasoning_tokens": 30, "audio_tokens": 4}},
     Usage(fresh=58, cache_read=10, cache_write_short=20, audio_input=5, image_input=7,
           output=16, reasoning=30, audio_output=4)),
    ("responses", {"input_tokens": 75, "input_tokens_details": {"cached_tokens": 25, "cache_write_tokens": 8},
                   "output_tokens": 1186, "output_tokens_details": {"reasoning_tokens": 1024},
                   "total_tokens": 1261},
     Usage(fresh=42, cache_read=25, cache_write_short=8, output=162, reasoning=1024)),
    ("messages", {"input_tokens": 50, "cache_read_input_tokens": 100_000, "output_tokens": 3},
     Usage(fresh=50, cache_read=100_000, output=3)),
    ("messages", {"input_tokens": 8, "cache_creation_input_tokens": 5_120, "output_tokens": 3,
                  "cache_creation": {"ephemeral_5m_input_tokens": 5_000, "ephemeral_1h_input_tokens": 120}},
     Usage(fresh=8, cache_write_short=5_000, cache_write_long=120, output=3)),
    ("messages", {"input_tokens": 8, "output_tokens": 300, "output_tokens_details": {"thinking_tokens": 200}},
     Usage(fresh=8, output=100, reasoning=200)),
    ("generate", {"promptTokenCount": 100, "cachedContentTokenCount": 40, "candidatesTokenCount": 20,
                  "thoughtsTokenCount": 500, "toolUsePromptTokenCount": 7, "totalTokenCount": 627},
     Usage(fresh=67, cache_read=40, output=20, reasoning=500)),
    ("generate", {"promptTokenCount": "100", "candidatesTokenCount": "20", "totalTokenCount": "120",
                  "promptTokensDetails": [{"modality": "AUDIO", "tokenCount": 30}, {"modality": "IMAGE", "tokenCount": 9}],
                  "candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": 12}]},
     Usage(fresh=61, audio_input=30, image_input=9, output=8, image_output=12)),
    ("converse", {"inputTokens": 50, "outputTokens": 3, "totalTokens": 53}, Usage(fresh=50, output=3)),
    ("converse", {"inputTokens": 8, "outputTokens": 3, "totalTokens": 105_131,
                  "cacheReadInputTokens": 100_000, "cacheWriteInputTokens": 5_120,
                  "cacheDetails": [{"ttl": "5m", "inputTokens": 5_000}, {"ttl": "1h", "inputTokens": 120}]},
     Usage(fresh=8, cache_read=100_000, cache_write_short=5_000, cache_write_long=120, output=3)),
    ("cohere", {"billed_units": {"input_tokens": 20, "output_tokens": 7},
                "tokens": {"input_tokens": 80, "output_tokens": 9}, "cached_tokens": 68},
     Usage(fresh=12, cache_read=8, output=7)),
    ("cohere", {"tokens": {"input_tokens": 80, "output_tokens": 9}}, Usage(fresh=80, output=9)),
]  # fmt: skip

CARRIES = {
    # what a client's shape cannot tell apart is in the class beside it
    "chat": {"cache_write_long": "cache_write_short", "image_output": "output"},
    "responses": {"cache_write_long": "cache_write_short", "image_output": "output",
                  "audio_input": "fresh", "image_input": "fresh", "audio_output": "output"},
    "messages": {"audio_input": "fresh", "image_input": "fresh", "audio_output": "output",
                 "image_output": "output"},
    "generate": {"cache_write_short": "fresh", "cache_write_long": "fresh"},
    "converse": {"audio_input": "fresh", "image_input": "fresh", "reasoning": "output",
                 "audio_output": "output", "image_output": "output"},
    "cohere": {"audio_input": "fresh", "image_input": "fresh", "cache_write_short": "fresh",
               "cache_write_long": "fresh", "reasoning": "output", "audio_output": "output",
               "image_output": "output"},
}  # fmt: skip


def folded(usage, shape):
    """The record as a client of a shape can see it."""
    values = msgspec.structs.asdict(usage)
    for part, whole in CARRIES[shape].items():
        values[whole] += values[part]
        values[part] = 0
    return Usage(**values)


@pytest.mark.parametrize(("vendor", "raw", "expected"), CASES)
def test_a_vendors_counters_become_one_record(vendor, raw, expected):
    """Disjoint, whatever contains what."""
    assert expected == READERS[vendor](raw)


@pytest.mark.parametrize("client", WRITERS)
@pytest.mark.parametrize(("vendor", "raw", "expected"), CASES)
def test_a_client_reads_the_same_record(vendor, raw, expected, client):
    """In its own convention: reading what was written for it gives the record again."""
    written = WRITERS[client](READERS[vendor](raw))
    assert folded(expected, client) == READERS[client](written)


@pytest.mark.parametrize(("vendor", "raw", "expected"), CASES)
def test_every_token_is_billed_once_at_its_own_price(vendor, raw, expected):
    """Each class by itself, none twice."""
    del vendor, raw
    names = ["fresh", "cache_read", "cache_write_short", "cache_write_long", "output", "reasoning",
             "audio_input", "audio_output", "image_input", "image_output"]  # fmt: skip
    bill = sum(getattr(expected, name) * 10**power for power, name in enumerate(names))
    assert bill == cost(TARIFF, expected)[0]


@pytest.mark.parametrize(
    ("vendor", "raw"),
    [
        ("chat", {"prompt_tokens": -5, "completion_tokens": 2}),
        ("chat", {"prompt_tokens": "many", "completion_tokens": 2}),
        ("responses", {"input_tokens": 1.5, "output_tokens": 2}),
        ("messages", {"input_tokens": -1, "output_tokens": 2}),
        ("messages", {"input_tokens": [1], "output_tokens": 2}),
        ("generate", {"promptTokenCount": -1}),
        ("generate", {"promptTokenCount": 1.5}),
        ("converse", {"inputTokens": -1, "outputTokens": 2}),
        ("converse", {"inputTokens": 1, "outputTokens": "many"}),
        ("cohere", {"billed_units": {"input_tokens": -1, "output_tokens": 2}}),
        ("cohere", {"tokens": {"input_tokens": "many"}}),
        ("chat", {}),
        ("messages", {}),
        ("converse", {}),
        ("cohere", {}),
        ("generate", {"trafficType": "ON_DEMAND"}),
    ],
)
def test_nonsense_is_no_report(vendor, raw):
    """The bill is then an estimate, and says so."""
    assert None is READERS[vendor](raw)
