"""The catalogue's own nouns. Frozen: a reload builds a new catalogue and swaps it in whole."""

from collections.abc import Mapping
from decimal import Decimal

import msgspec

from trivium.providers.base import Provider
from trivium.secret import Secret
from trivium.wire.operation import Operation, Shape, served


class TimeLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds a channel may take."""

    connect: float
    """To a usable connection, name look-up and TLS included."""
    first_byte: float
    """From the request's last byte to the first byte of the answer."""
    idle: float
    """Between two reads of an answer."""
    total: float
    """From start to the answer's last byte."""


class Channel(msgspec.Struct, frozen=True, kw_only=True):
    """One configured provider account."""

    name: str
    provider: Provider
    base_url: str
    """Normalised: no trailing slash, ready for the provider's paths."""
    credentials: tuple[Secret, ...]
    """Empty for engines without a key."""
    headers: Mapping[str, str]
    """Extra headers of the operator's, sent on every call."""
    limits: TimeLimits
    proxy: str | None = None
    max_concurrency: int | None = None


class Binding(msgspec.Struct, frozen=True, kw_only=True):
    """Maps a public model to one channel's own model name."""

    channel: Channel
    model: str
    """The channel's own name."""
    shape: Shape | None = None
    """Conversation shape to speak upstream; ``None``: the caller's if the provider has it."""
    priority: int = 0
    weight: int = 1


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """A public model name and where it may be served."""

    name: str
    bindings: tuple[Binding, ...]
    free: bool = False
    price: Mapping[str, Decimal] = msgspec.field(default_factory=dict)
    """USD per million tokens by kind (``input``, ``cache_read``, …); empty when free."""
    title: str | None = None
    owned_by: str = "trivium"
    context_max: int | None = None
    """Tokens of context; ``None`` when the operator did not say."""
    output_max: int | None = None
    created: int = 0
    """Seconds since the epoch; 0 when unknown."""

    def operations(self) -> frozenset[Operation]:
        """Every operation at least one binding serves, itself or through translation."""
        return served(frozenset(op for b in self.bindings for op in b.channel.provider.paths))


class Catalogue(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be asked for, at one moment."""

    models: Mapping[str, Model]
    channels: Mapping[str, Channel]
    revision: int = 0
    """Counts reloads, for logs and tests."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt a plan foresees."""

    binding: Binding
    operation: Operation
    """The operation to call upstream; equals the caller's on the pass-through lane."""
    why: str
    """For people: ``priority 0, weight 3 of 4``."""


class Skip(msgspec.Struct, frozen=True, kw_only=True):
    """A binding a plan passed over, and why."""

    binding: Binding
    why: str


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Ordered channels for one request, fixed before the first attempt."""

    steps: tuple[Step, ...]
    skipped: tuple[Skip, ...] = ()
