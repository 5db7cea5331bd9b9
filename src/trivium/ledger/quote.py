"""What a request may cost at most, from the model's prices and the request's own limits.

Written rule. Input: a token for every two bytes of the body, at the dearest class a text prompt can
fall into (cache writes cost more than fresh input), and what the body refers to
(``wire/references.py``), no more than the model's context. Output: the
request's own limit, else the model's, else 8,192 tokens, for every answer asked for. A video: the
seconds asked for, at the price of its size. Pictures: as many as are asked for, each at the dearest
its size and quality may turn out to be, and where the model is priced by tokens, the tokens one has
at most. Speech and transcripts: ``ledger/audio_cost.py``; reranks: ``ledger/rerank_cost.py``. The
cost may exceed the hold, and then the balance goes below zero and the next request is refused.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from trivium.clock import Clock
from trivium.ledger import audio_cost, rerank_cost
from trivium.ledger.cost import row_at, tariff_of
from trivium.ledger.model import FREE, Quote
from trivium.ledger.refusals import unpriced
from trivium.ledger.service import OpenLedger, Payer
from trivium.ledger.tariff import NANOS_MAX, Tariff
from trivium.ledger.unreported_usage import TOKEN_BYTES, tokens
from trivium.providers.images import row_of, table
from trivium.routing.model import Model
from trivium.wire.operation import GENERATES_TEXT, PRODUCT, TOKEN_COUNTS, Operation, Product
from trivium.wire.passage import RequestFacts

HELD_BYTES: Final = 2
"""Bytes of a body a token, at the densest that is usual."""
CONTEXT_MAX: Final = 1_000_000
"""Input of a model that states no limit."""
OUTPUT_MAX: Final = 8_192
"""Output of one answer where neither the request nor the model states a limit."""

PROMPT_MAX: Final = 32_000
"""Tokens, and characters, of a prompt for pictures."""

_BY_INPUT: Final = frozenset(
    operation
    for operation, product in PRODUCT.items()
    if product in (Product.VECTORS, Product.VERDICTS)
)
"""Operations that are charged for by what they read, and by nothing else."""
_ONE: Final = Fraction(1)


def quote(
    tariff: Tariff, model: Model, operation: Operation, facts: RequestFacts, size: int
) -> Quote:
    """The highest price of a request of ``size`` bytes.

    Raises ``Fault`` (NOT_PERMITTED) when the operation needs a price that the model has not.
    """
    writes = operation in GENERATES_TEXT
    if not writes and operation not in _BY_INPUT:
        return _OTHERWISE[operation](tariff, model, operation, facts, size)
    if not tariff.meters_input or (writes and not tariff.meters_output):
        raise unpriced(model, "this kind of request")
    # without a call but the last (cost.py)
    input_max = -(-size // HELD_BYTES) + facts.referred
    context_max = model.context_max or CONTEXT_MAX
    if input_max > context_max:  # noqa: PLR1730 - min() is a call
        input_max = context_max
    rates = tariff.tiers[0] if len(tariff.tiers) == 1 else tariff.rates(input_max)
    atoms = input_max * rates.input_max + tariff.request
    if writes:
        limit = (model.output_max or OUTPUT_MAX) * facts.choices
        asked = facts.output_max
        if asked is None or (model.output_max is not None and asked > limit):
            asked = limit
        atoms += asked * rates.output_max
    nanos = -(-atoms * tariff.numerator // tariff.denominator)  # as ``Tariff.nanos``
    if nanos > NANOS_MAX:  # noqa: PLR1730 - the same
        nanos = NANOS_MAX
    # never nothing: whoever has no balance is refused, also where little can be foreseen
    return Quote(nanos or 1, tariff, -(-size // TOKEN_BYTES))


def _free(
    tariff: Tariff, model: Model, operation: Operation, facts: RequestFacts, size: int
) -> Quote:
    """What is never charged for."""
    del tariff, model, operation, facts, size
    return FREE


def _audio(
    tariff: Tariff, model: Model, operation: Operation, facts: RequestFacts, size: int
) -> Quote:
    """Speech and transcripts, whose units are known beforehand."""
    del size
    assert facts.known is not None
    return audio_cost.quote(tariff, model, operation, facts.known)


def _ranking(
    tariff: Tariff, model: Model, operation: Operation, facts: RequestFacts, size: int
) -> Quote:
    """A rerank, by the search or by what is read."""
    del operation, size
    if not rerank_cost.has_price(tariff):
        raise unpriced(model, "ranking")
    return rerank_cost.quote(tariff, facts)


def _video(
    tariff: Tariff, model: Model, operation: Operation, facts: RequestFacts, size: int
) -> Quote:
    """What a video costs if it succeeds: nothing of it is left to chance."""
    del operation, size
    each = tariff.price_of_video(facts.size)
    if not each and not tariff.request:
        raise unpriced(model, f"videos of {facts.size}")
    atoms = 1000 * (facts.seconds or 0) * each + tariff.request
    return Quote(amount_nanos=max(1, tariff.nanos(atoms)), tariff=tariff)


def _pictures(
    tariff: Tariff, model: Model, operation: Operation, facts: RequestFacts, size: int
) -> Quote:
    """What pictures can cost at most: by the piece, by tokens, or both, as the model is priced."""
    del operation
    each = tariff.dearest_image(facts.size, facts.quality)
    by_tokens = tariff.meters_input and tariff.meters_output
    if not each and not by_tokens:
        raise unpriced(model, "pictures")
    # of pictures that go in, bytes tell nothing of tokens; they are few beside what comes out
    read = min(-(-size // HELD_BYTES), model.context_max or CONTEXT_MAX, PROMPT_MAX)
    rates = tariff.rates(read)
    atoms = tariff.request + facts.choices * each
    if by_tokens:
        made = facts.choices * tokens_of_picture(model)
        atoms += read * rates.input_max + made * rates.image_output
    return Quote(
        amount_nanos=max(1, tariff.nanos(atoms)),
        tariff=tariff,
        input_tokens=tokens(min(size, PROMPT_MAX)),
    )


def tokens_of_picture(model: Model) -> int:
    """Output tokens of one picture at most, by the model's name or its channels' names."""
    for name in (model.name, *(binding.model for binding in model.bindings)):
        row = row_of(name)
        if row is not None and row.tokens:
            return row.tokens
    return table().defaults.tokens


_PRICES: Final[Mapping[Product, Callable[[Tariff, Model, Operation, RequestFacts, int], Quote]]] = {
    Product.TOKEN_COUNT: _free,
    Product.IMAGES: _pictures,
    Product.SPEECH: _audio,
    Product.TRANSCRIPT: _audio,
    Product.VIDEO: _video,
    Product.RANKING: _ranking,
}
"""How each product is priced that is not priced by its input and output tokens alone."""

_OTHERWISE: Final = {
    operation: _PRICES[product]
    for operation, product in PRODUCT.items()
    if operation not in GENERATES_TEXT and operation not in _BY_INPUT
}
"""By operation. A product that nobody can price is a KeyError here, so the gateway does not start:
what is new must not be billed as if it were text."""


class Quoting:
    """What requests may cost, by the prices in force."""

    def __init__(self, clock: Clock, groups: Mapping[str, Fraction] | None = None) -> None:
        """``groups``: multipliers by group; a group that is not there has 1."""
        self._now = clock.now
        self.regroup(groups or {})

    def regroup(self, groups: Mapping[str, Fraction]) -> None:
        """Put other multipliers in force."""
        self._groups = groups
        # by name and group: what was made ready for which model, and until when
        self._ready: dict[tuple[str, str], tuple[Model, float, Tariff]] = {}

    def multiplier(self, group: str) -> Fraction:
        """What users of a price group pay of the list price; 1 for those of none."""
        return self._groups.get(group, _ONE)

    def quote(
        self,
        caller: Payer,
        model: Model,
        operation: Operation,
        facts: RequestFacts,
        body_bytes: int,
    ) -> Quote:
        """The most this request can cost. Raises ``Fault`` (NOT_PERMITTED) without a price."""
        if model.free or operation in TOKEN_COUNTS:
            return FREE
        ready = self._ready.get((model.name, caller.group))
        if ready is None or ready[0] is not model or self._now() >= ready[1]:
            ready = self._made_ready(model, caller.group)
        return quote(ready[2], model, operation, facts, body_bytes)

    def _made_ready(self, model: Model, group: str) -> tuple[Model, float, Tariff]:
        now = self._now()
        tariff = tariff_of(model.name, row_at(model.prices, now), self.multiplier(group))
        until = min((row.since for row in model.prices if row.since > now), default=float("inf"))
        ready = self._ready[model.name, group] = (model, until, tariff)
        return ready


class Pricing(Quoting, OpenLedger):
    """Quotes as the real ledger does, lets everything pass and books nothing: for rehearsals."""
