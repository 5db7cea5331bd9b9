"""What the file declares of channels and models."""

import msgspec

from trivium.settings.profile import Profile
from trivium.settings.section import Section


class Timeouts(Section, frozen=True):
    """A channel's own time limits in seconds; ``None``: the ``[upstream]`` value."""

    connect: float | None = None
    """To a usable connection, in seconds."""
    first_byte: float | None = None
    """From the request to the first byte of the answer, in seconds."""
    idle: float | None = None
    """Longest silence within an answer, in seconds."""
    total: float | None = None
    """From start to the answer's last byte, in seconds."""


class Probe(Section, frozen=True):
    """Asking a channel whether it is well, also while no caller does."""

    every_s: float = 0.0
    """Seconds between two probes, give or take a fifth; 0: none. One worker asks for all."""
    kind: str = "models"
    """``models``: each key fetches the vendor's list of models, which costs nothing; ``answer``:
    one key in turn has a short chat answered, a dozen tokens at your account's cost."""
    model: str | None = None
    """The model of ``answer``, by its public name; ``None``: the first that the channel serves."""
    path: str | None = None
    """Where the list is, as a path of the vendor's host; ``None``: where the provider's is."""


class ChannelEntry(Section, frozen=True):
    """One ``[[channels]]`` table: an account at a vendor."""

    name: str
    """Unique. Shown in logs, records and the ``trivium-channel`` header."""
    provider: str
    """Which kind of upstream: a name from the list of providers."""
    api_key: str | None = None
    """The account's key: ``env:NAME``, ``file:PATH`` or the key itself."""
    api_keys: tuple[str, ...] = ()
    """Several keys of one account, instead of ``api_key``."""
    credential: dict[str, str] = msgspec.field(default_factory=dict)
    """What some providers ask for beside the key, such as a key id or a region, by the names that
    the provider's page lists; each ``env:NAME``, ``file:PATH`` or the value itself."""
    base_url: str | None = None
    """As the vendor's official SDK takes it (openai: with ``/v1``; anthropic, gemini: the origin);
    ``None``: the provider's own."""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    """Headers added to every call; a value may be ``env:NAME`` or ``file:PATH``."""
    proxy: str | None = None
    """``http://…`` or ``socks5://…``; ``None``: the ``[upstream]`` value."""
    requests_per_minute: int | None = None
    """Calls a minute, what the account allows; ``None``: no limit."""
    tokens_per_minute: int | None = None
    """Tokens a minute of prompts and answers; ``None``: no limit."""
    max_concurrency: int | None = None
    """Calls that may run at once; ``None``: no limit."""
    queue_max: int = 0
    """Calls that may wait, in each worker, for one of ``max_concurrency``; beyond it, and with 0,
    the next channel is tried at once."""
    queue_s: float = 5.0
    """How long one waits before the next channel is tried."""
    timeouts: Timeouts = Timeouts()
    """This channel's own time limits."""
    probe: Probe = Probe()
    """Whether and how it is asked if it is well."""
    disabled: bool = False
    """Kept in the file, never called."""


class BindingEntry(Section, frozen=True):
    """One ``[[models.bindings]]`` table: a channel that serves the model."""

    channel: str
    """The ``name`` of a channel."""
    model: str | None = None
    """The channel's own name for the model; ``None``: the public one."""
    shape: str | None = None
    """``chat``, ``responses``, ``messages``, ``generate``, ``converse``, ``cohere``, or ``vendor``
    for the provider's own: what to speak upstream; ``None``: what the caller speaks, if the
    provider has it."""
    priority: int = 0
    """Lower goes first; higher ones are fallbacks."""
    cost: str | None = None
    """What it costs you here, in US dollars a million tokens, for the strategy ``price``;
    ``None``: dearer than all that say."""
    timeouts: Timeouts = Timeouts()
    """This model's own time limits at this channel; ``None`` in one: the channel's."""
    weight: int = 1
    """Share of the requests among bindings of one priority; 0: only when all others failed."""
    audio: str | None = None
    """Speech and transcription: whose rules it has (docs/audio.md), such as ``whisper``; ``None``:
    by its name."""
    profile: Profile = Profile()
    """What the model takes, where it differs from the shipped profile: the table below."""


class TierEntry(Section, frozen=True):
    """One ``[[models.tiers]]`` table: other prices for requests with a long context."""

    above: int
    """Input tokens of all kinds above which these prices hold for the whole request."""
    price: dict[str, str] = msgspec.field(default_factory=dict)
    """The prices that differ; all others stay."""


class ImageEntry(Section, frozen=True):
    """One ``[[models.images]]`` table: the price of a generated image."""

    price: str
    """US dollars an image."""
    size: str = ""
    """``1024x1024``; empty: any size without a row of its own."""
    quality: str = ""
    """``high``; empty: any quality without a row of its own."""


class VideoEntry(Section, frozen=True):
    """One ``[[models.videos]]`` table: the price of a second of video."""

    price: str
    """US dollars a second."""
    size: str
    """``1280x720``; other sizes cost ``per_second``."""


class PriceChange(Section, frozen=True):
    """One ``[[models.price_changes]]`` table: all prices from a day on."""

    since: str
    """The first day, as ``2027-01-01``; it begins at midnight UTC."""
    price: dict[str, str] = msgspec.field(default_factory=dict)
    """As ``price`` of the model, which it replaces."""
    tiers: tuple[TierEntry, ...] = ()
    """As ``tiers`` of the model, which they replace."""
    images: tuple[ImageEntry, ...] = ()
    """As ``images`` of the model, which they replace."""
    videos: tuple[VideoEntry, ...] = ()
    """As ``videos`` of the model, which they replace."""


class ModelEntry(Section, frozen=True):
    """One ``[[models]]`` table: a model that callers can ask for."""

    name: str
    """Unique. What callers ask for."""
    bindings: tuple[BindingEntry, ...] = ()
    """Where it is served: at least one ``[[models.bindings]]``."""
    price: dict[str, str] = msgspec.field(default_factory=dict)
    """US dollars by kind, as decimals in quotes; the kinds are listed below."""
    tiers: tuple[TierEntry, ...] = ()
    """Other prices for long contexts."""
    images: tuple[ImageEntry, ...] = ()
    """Prices of generated images by size and quality."""
    videos: tuple[VideoEntry, ...] = ()
    """Prices of a second of generated video by size."""
    price_changes: tuple[PriceChange, ...] = ()
    """Prices that begin on a later day."""
    price_origin: str | None = None
    """Whose price was adopted, as ``trivium prices adopt`` writes it, with a fingerprint of it;
    ``None``, or where the price is another: it was made by hand, and nothing replaces it."""
    free: bool = False
    """The only way to a price of zero."""
    strategy: str = "weight"
    """How bindings of one priority share the requests: by ``weight``; by ``latency``: of two drawn
    by weight the one whose answers begin sooner; by ``price``: the lowest ``cost`` first."""
    hedge_s: float = 0.0
    """When the first channel has sent nothing of an answer for so long, a second is asked as well
    and the first to begin wins; you pay both vendors what they bill, the caller pays the answer. 0:
    never. Requests that store or do something are not sent twice (docs/routing.md)."""
    fallbacks: tuple[str, ...] = ()
    """Other models of this file that may answer when none of this one's channels does, in this
    order; the one that answers is billed, and named in ``trivium-model``. Theirs are not followed
    in turn."""
    title: str | None = None
    """For people; ``None``: the name."""
    owned_by: str = "trivium"
    """Shown in model lists."""
    context_max: int | None = None
    """Tokens of context; ``None``: not stated."""
    output_max: int | None = None
    """Output tokens of one answer at most; ``None``: not stated."""
    image_class: str | None = None
    """What image requests are held to: ``legacy_a``, ``legacy_b``, ``gpt``, ``gpt_sizes``, or
    ``open`` for a model with words of its own; ``None``: by its name, or its channels' names."""
    requests_per_minute: int | None = None
    """Requests a minute, of all callers together; ``None``: no limit."""
    tokens_per_minute: int | None = None
    """Tokens a minute, of all callers together; ``None``: no limit."""
    max_concurrency: int | None = None
    """Requests that may run at once, of all callers together; ``None``: no limit."""
