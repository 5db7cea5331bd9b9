"""What a request used where the vendor did not say, or said nonsense: by one written rule.

A token is taken for four bytes (what English prose comes to in the vendors' tokenizers; code and
other scripts are denser). Input: the request's body, JSON and all, which errs upwards by the
punctuation. Output: what the model wrote in what the caller was sent (``wire/output_count.py``), a
picture at what Google's cost, sound by its length. Reasoning that nobody is shown cannot be seen:
it is charged as far as the vendor reports it.

An answer that broke off costs what the vendor had reported of its input, if it had, and the larger
of its reported and its delivered output: vendors that report as they go begin with a count of 1. A
report without any output is none where something was written.
"""

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec.structs import astuple

from trivium.conversation.usage import TEXT_COUNTERS, TEXT_ONLY, Usage
from trivium.wire.output_tally import OutputCount

TOKEN_BYTES: Final = 4
PICTURE_TOKENS: Final = 1290
"""Of a picture in a conversation: Gemini 2.5's at 1,024 by 1,024 (ai.google.dev, "Image
generation", read 2026-11-21)."""
SOUND_BYTES_A_TOKEN: Final = 3_072
"""Characters of base64: PCM of 16 bits at 24 kHz is 64,000 a second, in which OpenAI's models make
20.8 tokens, as in ``ledger/audio_cost.py``."""
COUNT_MAX: Final = 2**27 - 1
"""Tokens of one class in one answer, 134 million, beyond which a count is a vendor's mistake."""
SECONDS_MAX: Final = 1_000_000.0
"""Media of one answer: eleven days."""


def tokens(size: int) -> int:
    """Tokens of so many bytes, rounded up."""
    return -(-size // TOKEN_BYTES)


def is_believable(usage: Usage) -> bool:
    """Whether no counter is negative or beyond anything a vendor could mean."""
    counts = astuple(usage)  # as ``cost``
    fresh: int = counts[0]
    cached: int = counts[1]
    short: int = counts[2]
    long: int = counts[3]
    output: int = counts[4]
    reasoning: int = counts[5]
    # joined bit by bit, one comparison sees the sign and size of all
    joined = fresh | cached | short | long | output | reasoning
    if counts[TEXT_COUNTERS:-1] != TEXT_ONLY:
        joined |= usage.audio_input | usage.audio_output | usage.image_input | usage.image_output
        joined |= usage.requests | (usage.characters or 0) | (usage.searches or 0)
        for images in usage.images:
            joined |= images.count
        if not 0 <= (usage.seconds or 0.0) <= SECONDS_MAX:
            return False
    return 0 <= joined <= COUNT_MAX


def is_count(reported: Usage | None) -> bool:
    """Whether a vendor's report is one: of an output, and to be believed."""
    return (
        reported is not None
        and (reported.output > 0 or reported.output_total > 0)
        and is_believable(reported)
    )


def used(
    reported: Usage | None,
    input_tokens: int,
    written: Callable[[], OutputCount] | None,
    *,
    final: bool,
) -> Usage:
    """What an answer used.

    ``input_tokens``: the estimate for want of a report. ``written``: counts what the caller was
    sent; called only where that matters; ``None`` for operations that only read. ``final``: the
    model had said why it ended before the last report, which is the last word then: but for an
    input that it says nothing of, and for an output of nothing where something was written.
    """
    if reported is not None and not is_believable(reported):
        reported = None
    # most have an output of the first class, and the sum is a call
    if (
        final
        and reported is not None
        and (written is None or reported.output or reported.output_total)
    ):
        if reported.estimated and not reported.input_total:
            return msgspec.structs.replace(reported, fresh=input_tokens)
        return reported
    found = OutputCount() if written is None else written()
    text, reasoning = tokens(found.text), tokens(found.reasoning)
    pictures = PICTURE_TOKENS * found.pictures
    sound = -(-found.sound // SOUND_BYTES_A_TOKEN)
    if reported is None:
        return Usage(
            fresh=input_tokens,
            output=text,
            reasoning=reasoning,
            image_output=pictures,
            audio_output=sound,
            estimated=True,
        )
    missing = max(0, text + reasoning + pictures + sound - reported.output_total)
    is_input_missing = not reported.input_total and (reported.estimated or not final)
    if final and not missing and not is_input_missing:
        return reported
    fresh = input_tokens if is_input_missing else reported.fresh
    return msgspec.structs.replace(
        reported, fresh=fresh, output=reported.output + missing, estimated=True
    )
