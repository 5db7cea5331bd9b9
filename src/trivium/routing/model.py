"""The catalogue's own nouns. Frozen: a reload builds a new catalogue and swaps it in whole."""

from collections.abc import Mapping
from decimal import Decimal
from enum import Enum, unique
from typing import Any

import msgspec

from trivium.conversation.opaque import StateOrigin
from trivium.conversation.target import TargetFacts, target
from trivium.providers.base import Provider
from trivium.providers.credential import Form, chosen
from trivium.providers.images import row_of
from trivium.providers.profiles import profile
from trivium.secret import Secret
from trivium.settings.entries import Probe
from trivium.settings.limits import RateLimits
from trivium.wire.operation import SHAPE, SPOKEN, Operation, Shape, served


@unique
class Strategy(Enum):
    """How the bindings of one priority share a model's requests."""

    WEIGHT = "weight"
    LATENCY = "latency"  # of two drawn by weight, the one whose answers begin sooner
    PRICE = "price"  # what costs the operator least; by weight where that is the same


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
    parts: Mapping[str, Secret] = msgspec.field(default_factory=dict)
    """What belongs to each of the credentials beside the key, by name."""
    headers: Mapping[str, str]
    """Extra headers of the operator's, sent on every call."""
    limits: TimeLimits
    proxy: str | None = None
    rates: RateLimits | None = None
    """``None``: called as often as requests come."""
    queue_max: int = 0
    """Calls that may wait where so many at once are allowed; 0: none."""
    queue_s: float = 0.0
    """For how long."""
    probe: Probe = Probe()
    """Whether and how it is asked if it is well."""

    @property
    def form(self) -> Form | None:
        """What it is known to its vendor by: a key, a token or a signature; ``None``: by none."""
        return chosen(self.provider.credential, has_key=bool(self.credentials))


class Binding(msgspec.Struct, frozen=True, kw_only=True):
    """Maps a public model to one channel's own model name."""

    channel: Channel
    model: str
    """The channel's own name."""
    shape: Shape | None = None
    """Conversation shape to speak upstream; ``None``: the caller's if the provider has it."""
    priority: int = 0
    weight: int = 1
    cost: Decimal | None = None
    """What the operator pays for it, in US dollars a million tokens; ``None``: not said."""
    limits: TimeLimits | None = None
    """Where the model's own differ from its channel's; ``None``: they do not."""
    audio: str = ""
    """The class of speech or transcription model it is set to be; empty: by its name."""
    profile: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """What the operator knows better of the model than the shipped profile."""
    targets: Mapping[Shape, TargetFacts] = msgspec.field(default_factory=dict)
    """What the model takes, by each shape it may be asked in. Always worked out from the rest,
    once a binding: no request looks a profile up."""

    def __post_init__(self) -> None:
        """Raises ``msgspec.ValidationError`` for a profile that is none."""
        channel = self.channel
        provider = channel.provider.name
        own = channel.provider.own
        found: dict[Shape, TargetFacts] = {}
        for shape in {SHAPE[operation] for operation in channel.provider.paths} & SPOKEN:
            known = profile(shape.value, provider, self.model)
            if shape is Shape.VENDOR and own is not None:
                known = {**own.facts, **known}
            origin = StateOrigin(shape=shape.value, provider=provider, account=channel.name)
            found[shape] = target(origin, self.model, **{**known, **self.profile})
        msgspec.structs.force_setattr(self, "targets", found)

    @property
    def draws(self) -> bool:
        """Whether it is a generate-content model that answers with pictures."""
        if Operation.GENERATE not in self.channel.provider.paths:
            return False
        row = row_of(self.model)
        return row is not None and row.draws and self.shape in (None, Shape.GENERATE)


class PriceTier(msgspec.Struct, frozen=True, kw_only=True):
    """Prices that differ for requests with a long context."""

    above: int
    """Input tokens above which they hold."""
    price: Mapping[str, Decimal]


class ImagePrice(msgspec.Struct, frozen=True, kw_only=True):
    """The price of one generated image."""

    size: str
    """``1024x1024``; empty: any other."""
    quality: str
    """``high``; empty: any other."""
    price: Decimal


class VideoPrice(msgspec.Struct, frozen=True, kw_only=True):
    """The price of a second of generated video."""

    size: str
    """``1280x720``."""
    price: Decimal


class PriceRow(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one model costs from a moment on, in US dollars."""

    since: int = 0
    """Seconds since the epoch; 0: always."""
    price: Mapping[str, Decimal] = msgspec.field(default_factory=dict)
    """By kind (``settings/prices.py``); tokens by the million."""
    tiers: tuple[PriceTier, ...] = ()
    images: tuple[ImagePrice, ...] = ()
    videos: tuple[VideoPrice, ...] = ()


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """A public model name and where it may be served."""

    name: str
    bindings: tuple[Binding, ...]
    free: bool = False
    prices: tuple[PriceRow, ...] = ()
    """What it costs, oldest first; empty when free."""
    strategy: Strategy = Strategy.WEIGHT
    hedge_s: float = 0.0
    """Without a byte for so long, a second channel is asked as well; 0: never."""
    fallbacks: tuple[str, ...] = ()
    """Models that may answer in its place, in this order; theirs are not followed in turn."""
    title: str | None = None
    owned_by: str = "trivium"
    context_max: int | None = None
    """Tokens of context; ``None`` when the operator did not say."""
    output_max: int | None = None
    image_class: str | None = None
    """The class of its pictures, as the operator has it; ``None``: by its name."""
    created: int = 0
    """Seconds since the epoch; 0 when unknown."""
    rates: RateLimits | None = None
    """Of all callers together; ``None``: no limits."""

    def operations(self) -> frozenset[Operation]:
        """Every operation at least one binding serves, itself or through translation."""
        found = served(frozenset(op for b in self.bindings for op in b.channel.provider.paths))
        if any(binding.draws for binding in self.bindings):
            found |= {Operation.IMAGES, Operation.IMAGES_EDIT}
        return found


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
