"""The kinds of price a model may have. Decimal strings, because a float cannot hold money."""

import re
from typing import Final

KINDS: Final[dict[str, str]] = {
    "input": "a million input tokens that no cache had a part in",
    "cache_read": "a million input tokens read from a prompt cache",
    "cache_write": "a million input tokens written to a prompt cache, whatever its life",
    "cache_write_5m": "a million input tokens written to a cache of five minutes",
    "cache_write_1h": "a million input tokens written to a cache of one hour",
    "output": "a million output tokens",
    "reasoning": "a million output tokens spent on reasoning",
    "audio_input": "a million audio tokens of input",
    "audio_output": "a million audio tokens of output",
    "image_input": "a million image tokens of input",
    "image_output": "a million image tokens of output",
    "per_request": "one request",
    "per_second": "one second of audio or video",
    "per_character": "one character of text spoken",
}
"""What one price of each kind buys, in US dollars."""

DECIMAL: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,12})?")
"""Plain decimals: no sign, exponent or separator; nine digits and twelve places are plenty."""
