"""What speech and transcripts cost: by character, by second, by token, as the model's prices say.

Characters and seconds are known before anybody is called, so they are held exactly. Tokens are what
a vendor reports; where it does not and the model is priced by them, they are estimated from the
seconds, and the bill says so. The rates follow from OpenAI's own price list, which gives both: a
minute of gpt-4o-transcribe is $0.006 at $6 a million audio tokens, a minute of gpt-4o-mini-tts
$0.015 at $12 (platform.openai.com/docs/pricing, read 2026-11-21).
"""

from typing import Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.ledger import rerank_cost
from trivium.ledger.cost import cost
from trivium.ledger.model import Quote
from trivium.ledger.refusals import unpriced
from trivium.ledger.tariff import Tariff
from trivium.ledger.unreported_usage import is_believable, tokens
from trivium.routing.model import Model
from trivium.wire.audio.usage import complete
from trivium.wire.operation import PRODUCT, Operation, Product

HEARD_TOKENS_A_MINUTE: Final = 1000
SPOKEN_TOKENS_A_MINUTE: Final = 1250
WRITTEN_TOKENS_A_MINUTE: Final = 250
"""A transcript of brisk speech: 190 words."""
CHARACTERS_A_SECOND: Final = 12
"""Of text spoken at an ordinary pace."""

_SPEECH: Final = frozenset({"per_character", "per_second", "per_request", "output"})
_TRANSCRIPT: Final = frozenset({"per_second", "per_request", "input"})
_BY_TOKENS: Final = frozenset({"input", "output"})


def quote(tariff: Tariff, model: Model, operation: Operation, known: Usage) -> Quote:
    """The highest price of a request of which so much is known.

    Raises ``Fault`` (NOT_PERMITTED) when the model has no price for what it makes.
    """
    spoken = PRODUCT[operation] is Product.SPEECH
    if tariff.kinds.isdisjoint(_SPEECH if spoken else _TRANSCRIPT):
        raise unpriced(model, "speech" if spoken else "transcripts")
    nanos, _ = cost(tariff, used(tariff, _with_seconds(known), None))
    return Quote(amount_nanos=max(1, nanos), tariff=tariff)


def used(
    tariff: Tariff, known: Usage, reported: Usage | None, *, is_delivered: bool = True
) -> Usage:
    """What is charged for: reported, else known, else estimated. Where nothing was delivered, of
    what was not reported the input alone. A rerank, which is known by its searches, has rules of
    its own.
    """
    if known.searches is not None:
        return rerank_cost.used(tariff, known, reported)
    if reported is not None and not is_believable(reported):
        reported = None
    found = complete(known, reported)
    if not is_delivered and found.characters is not None and found.seconds is None:
        found = msgspec.structs.replace(found, seconds=0.0)
    if tariff.millisecond:
        found = _with_seconds(found)
    if found.input_total or found.output_total or tariff.kinds.isdisjoint(_BY_TOKENS):
        return found
    if found.characters is not None:
        seconds = _with_seconds(found).seconds or 0.0
        return msgspec.structs.replace(
            found,
            fresh=tokens(found.characters),
            audio_output=_a_minute(SPOKEN_TOKENS_A_MINUTE, seconds),
            estimated=True,
        )
    seconds = found.seconds or 0.0
    return msgspec.structs.replace(
        found,
        audio_input=_a_minute(HEARD_TOKENS_A_MINUTE, seconds),
        output=_a_minute(WRITTEN_TOKENS_A_MINUTE, seconds if is_delivered else 0.0),
        estimated=True,
    )


def _with_seconds(known: Usage) -> Usage:
    """Speech lasts as long as its text takes, until it has been measured."""
    if known.seconds is not None or known.characters is None:
        return known
    seconds = known.characters / CHARACTERS_A_SECOND
    return msgspec.structs.replace(known, seconds=seconds, estimated=True)


def _a_minute(count: int, seconds: float) -> int:
    return -(-round(seconds * 1000) * count // 60_000)
