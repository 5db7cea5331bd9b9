"""Every setting with its unit, its default and why that default. Read by ``settings/load.py``.

The TOML file has one table per struct below; ``TRIVIUM_SECTION__NAME`` in the environment
overrides a scalar. Unknown settings are errors. A secret is written ``env:NAME`` or ``file:PATH``.
"""

import msgspec

from trivium.settings.profile import Profile


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file; a misspelt setting is an error, not silence."""

    def __repr__(self) -> str:
        """The type alone: keys and passwords may be written out in any section."""
        return f"{type(self).__name__}(...)"


class Server(_Section, frozen=True):
    """The listening side."""

    listen: str = "127.0.0.1:8080"
    """HOST:PORT. Loopback until an operator decides otherwise."""
    workers: int = 1
    """Processes. More than one needs ``shared.url``."""
    admin_listen: str | None = None
    """HOST:PORT of the pages plane; ``None``: the same port as the relay."""
    public_url: str | None = None
    """How the outside sees the gateway; ``None``: ``http://`` and ``listen``."""
    auth_url: str | None = None
    """Origin of the OAuth endpoints; ``None``: ``public_url``."""
    api_url: str | None = None
    """Origin of ``/api/oauth_apps``; ``None``: ``public_url``."""
    tls_certificate: str | None = None
    """PEM file; with ``tls_key`` the port speaks TLS."""
    tls_key: str | None = None
    """PEM file with the key of ``tls_certificate``."""
    backlog: int = 2048
    """Connections the kernel may queue for us (uvicorn's value)."""
    connections_max: int = 20_000
    """Open caller connections a worker keeps; beyond it new ones get 503 and are closed."""
    header_bytes_max: int = 65_536
    """Request line and headers together. Codex sends 16 KiB; nginx allows 32, Node 16."""
    headers_max: int = 200
    """Header lines of one request (Apache allows 100, Go has no count)."""
    body_bytes_max: int = 134_217_728
    """128 MiB: the vendors take 20 to 100 MiB of inline media."""
    header_timeout_s: float = 15.0
    """From the first byte of a request to the end of its headers."""
    body_timeout_s: float = 60.0
    """Longest silence within a request body."""
    keepalive_s: float = 75.0
    """An idle caller connection is closed after this (nginx's value)."""
    pipeline_max: int = 16
    """Parsed requests that may wait behind the current one; reading pauses beyond it."""
    write_high_bytes: int = 65_536
    """Unsent bytes to one caller above which its upstream is no longer read."""
    drain_s: float = 30.0
    """After SIGTERM: how long running answers may go on before they are ended legally."""
    half_closed: str = "cancel"
    """``cancel``: a caller that shuts its sending side has left (as nginx and Go see it);
    ``answer``: it is still answered."""
    cors_origins: tuple[str, ...] = ()
    """Origins browsers may call from; ``["*"]`` for all. Empty: no CORS headers."""
    query_key: bool = True
    """Whether ``?key=`` is accepted as a key."""
    heartbeat_s: float = 10.0
    """Silence in a streamed answer after which a heartbeat is sent, also before the vendor's first
    byte: the answer's head then goes out, so a later error is told in the stream. Proxies and load
    balancers cut at 60 s and more. 0: none are sent."""
    trusted_proxies: tuple[str, ...] = ()
    """Networks of proxies whose ``X-Forwarded-For`` is believed, for keys that are bound to
    addresses. Empty: whoever is connected is the caller."""
    explain_headers: bool = True
    """Whether answers carry ``trivium-channel``, ``trivium-attempts``, ``trivium-cost`` and, where
    channels failed or were passed over, ``trivium-route``."""


class Storage(_Section, frozen=True):
    """The database."""

    url: str = "sqlite:///trivium.db"
    """``sqlite:///PATH`` or ``postgresql://USER:PASSWORD@HOST/DB``."""
    journal: str = "journal/"
    """Directory of the workers' journals."""
    pool: int = 5
    """PostgreSQL connections a worker may hold."""
    poll_s: float = 1.0
    """How often a worker looks for changed keys: revocation is in force within twice this."""


class Shared(_Section, frozen=True):
    """State shared by workers and nodes."""

    url: str = ""
    """``redis://…`` or ``valkey://…``; empty: none."""


class Upstream(_Section, frozen=True):
    """The calling side: limits for all channels unless a channel sets its own."""

    connect_timeout_s: float = 10.0
    """To a usable connection, name look-up and TLS included."""
    first_byte_timeout_s: float = 600.0
    """From the request to the first byte of the answer. The official SDKs wait 600 s."""
    idle_timeout_s: float = 300.0
    """Longest silence within an answer. Reasoning models pause for minutes."""
    total_timeout_s: float = 3600.0
    """From start to the answer's last byte."""
    keepalive_s: float = 20.0
    """An idle upstream connection is not reused after this; common servers close at 30 to 75."""
    connections_max: int = 10_000
    """Open connections to one origin; beyond it requests wait. Every running stream holds one."""
    wait_s: float = 5.0
    """How long a request waits for a free connection before 503."""
    answer_bytes_max: int = 134_217_728
    """An unstreamed answer, whole."""
    header_bytes_max: int = 131_072
    """Status line and headers of an answer."""
    dns_ttl_s: float = 30.0
    """How long a looked-up address is used; 0 looks up every time."""
    proxy: str | None = None
    """``http://…`` or ``socks5://…`` for all channels; ``None``: ``https_proxy`` and friends."""
    ca_file: str | None = None
    """PEM bundle to verify vendors with; ``None``: the system's."""


class Routing(_Section, frozen=True):
    """What one request may cost the upstreams, and when one is left alone."""

    attempts_max: int = 5
    """Attempts of one request, over all channels, credentials and fallback models."""
    attempts_s: float = 120.0
    """No attempt begins later than this after the request came."""
    slow_s: float = 30.0
    """An attempt that failed after longer is not followed by another: the vendor has worked through
    the prompt once and may still be at it. The caller is told ``x-should-retry: false``."""
    repeats: int = 0
    """Further attempts on channels that have failed, after all others. The official SDKs try twice
    more by themselves, and what they and the gateway repeat multiplies."""
    repeat_pause_s: float = 0.5
    """Before the first repeat, with jitter; doubles with each."""
    wishes: bool = True
    """Whether callers may choose among the channels of a model (``trivium-only`` and others);
    ``trivium-max-cost`` they may always set."""
    failures: int = 5
    """Failures in a row that have a channel, credential and model left alone."""
    failures_ratio: float = 0.5
    """Share of failures in a window that does the same, from 20 attempts on."""
    window_s: float = 30.0
    """That window."""
    cooldown_s: float = 5.0
    """For how long; then one request probes, and if it fails it is twice as long."""
    cooldown_max_s: float = 60.0
    """The longest. A vendor's own ``Retry-After`` goes before both."""
    recheck_s: float = 600.0
    """After how long a credential that the vendor refused is probed; a reload does it at once. Also
    the longest that a vendor's ``Retry-After`` is heeded."""


class Records(_Section, frozen=True):
    """Request records."""

    flush_s: float = 1.0
    """How often records are written, in one batch."""
    queue_max: int = 100_000
    """Records that may wait while the database is away; the oldest are then dropped and counted."""
    retention_days: int = 90
    """Older records are swept; 0 keeps them for ever."""


class Ledger(_Section, frozen=True):
    """Holds, the journal and what a broken request costs."""

    flush_s: float = 1.0
    """How often settled requests are booked in the database, in one batch."""
    fsync_ms: int = 0
    """How often the journal is forced to the disk, for a loss of power; 0: the system decides
    (the death of a process alone loses nothing)."""
    interrupted: str = "free"
    """What a request costs that was running when its worker was killed: ``free``, ``input`` (its
    estimated input) or ``hold`` (the most it could have cost)."""
    lease_s: float = 900.0
    """After so long without a word from a worker, what it had leased is free again. Beyond half of
    it without the database a worker stops spending."""


class Prices(_Section, frozen=True):
    """Suggested prices, see ``trivium prices``. None applies until it is adopted."""

    source: str | None = None
    """Where ``trivium prices update`` fetches newer ones; ``None``: nowhere."""
    public_key: str | None = None
    """Who has to have signed them: an Ed25519 key in base64. Needed with ``source``."""


class Responses(_Section, frozen=True):
    """Answers of the responses shape that callers may refer to later."""

    store: bool = True
    """Whether answers are kept unless the caller says ``store: false``, as the vendor does;
    ``false``: none are, here or upstream."""
    retention_days: int = 30
    """How long one is kept, as at the vendor."""
    response_bytes_max: int = 33_554_432
    """An answer with its whole input beyond 32 MiB is not kept."""
    user_bytes_max: int = 1_073_741_824
    """What is kept for one user, compressed: beyond 1 GiB the oldest go, within minutes."""


class Traces(_Section, frozen=True):
    """What clients do not send back: the reasoning behind a tool call, who made a signature."""

    retention_days: int = 7
    """How long a conversation may rest and still go on with its reasoning; 0 remembers nothing."""
    trace_bytes_max: int = 1_048_576
    """The reasoning before one call with its signatures; a larger one is not kept."""
    memory_bytes_max: int = 33_554_432
    """Kept in a worker's memory; the database has the rest."""


class Logs(_Section, frozen=True):
    """What is logged, to standard error."""

    level: str = "info"
    """``debug``, ``info``, ``warning`` or ``error``: that and everything above it."""
    format: str = "auto"
    """``json``, ``text``, or ``auto``: text on a terminal."""


class Timeouts(_Section, frozen=True):
    """A channel's own time limits in seconds; ``None``: the ``[upstream]`` value."""

    connect: float | None = None
    """To a usable connection, in seconds."""
    first_byte: float | None = None
    """From the request to the first byte of the answer, in seconds."""
    idle: float | None = None
    """Longest silence within an answer, in seconds."""
    total: float | None = None
    """From start to the answer's last byte, in seconds."""


class ChannelEntry(_Section, frozen=True):
    """One ``[[channels]]`` table."""

    name: str
    """Unique. Shown in logs, records and the ``trivium-channel`` header."""
    provider: str
    """Which kind of upstream: a name from the list of providers."""
    api_key: str | None = None
    """The account's key: ``env:NAME``, ``file:PATH`` or the key itself."""
    api_keys: tuple[str, ...] = ()
    """Several keys of one account, instead of ``api_key``."""
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
    disabled: bool = False
    """Kept in the file, never called."""


class BindingEntry(_Section, frozen=True):
    """One ``[[models.bindings]]`` table."""

    channel: str
    """The ``name`` of a channel."""
    model: str | None = None
    """The channel's own name for the model; ``None``: the public one."""
    shape: str | None = None
    """``chat``, ``responses``, ``messages`` or ``generate``: what to speak upstream;
    ``None``: what the caller speaks, if the provider has it."""
    priority: int = 0
    """Lower goes first; higher ones are fallbacks."""
    cost: str | None = None
    """What it costs you here, in US dollars a million tokens, for the strategy ``price``;
    ``None``: dearer than all that say."""
    timeouts: Timeouts = Timeouts()
    """This model's own time limits at this channel; ``None`` in one: the channel's."""
    weight: int = 1
    """Share of the requests among bindings of one priority; 0: only when all others failed."""
    profile: Profile = Profile()
    """What the model takes, where it differs from the shipped profile: the table below."""


class TierEntry(_Section, frozen=True):
    """One ``[[models.tiers]]`` table: other prices for requests with a long context."""

    above: int
    """Input tokens of all kinds above which these prices hold for the whole request."""
    price: dict[str, str] = msgspec.field(default_factory=dict)
    """The prices that differ; all others stay."""


class ImageEntry(_Section, frozen=True):
    """One ``[[models.images]]`` table: the price of a generated image."""

    price: str
    """US dollars an image."""
    size: str = ""
    """``1024x1024``; empty: any size without a row of its own."""
    quality: str = ""
    """``high``; empty: any quality without a row of its own."""


class PriceChange(_Section, frozen=True):
    """One ``[[models.price_changes]]`` table: all prices from a day on."""

    since: str
    """The first day, as ``2027-01-01``; it begins at midnight UTC."""
    price: dict[str, str] = msgspec.field(default_factory=dict)
    """As ``price`` of the model, which it replaces."""
    tiers: tuple[TierEntry, ...] = ()
    """As ``tiers`` of the model, which they replace."""
    images: tuple[ImageEntry, ...] = ()
    """As ``images`` of the model, which they replace."""


class ModelEntry(_Section, frozen=True):
    """One ``[[models]]`` table."""

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
    price_changes: tuple[PriceChange, ...] = ()
    """Prices that begin on a later day."""
    free: bool = False
    """The only way to a price of zero."""
    strategy: str = "weight"
    """How bindings of one priority share the requests: by ``weight``; by ``latency``: of two drawn
    by weight the one whose answers begin sooner; by ``price``: the lowest ``cost`` first."""
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
    requests_per_minute: int | None = None
    """Requests a minute, of all callers together; ``None``: no limit."""
    tokens_per_minute: int | None = None
    """Tokens a minute, of all callers together; ``None``: no limit."""
    max_concurrency: int | None = None
    """Requests that may run at once, of all callers together; ``None``: no limit."""


class Settings(_Section, frozen=True):
    """The whole file."""

    server: Server = Server()
    storage: Storage = Storage()
    shared: Shared = Shared()
    upstream: Upstream = Upstream()
    routing: Routing = Routing()
    records: Records = Records()
    traces: Traces = Traces()
    responses: Responses = Responses()
    ledger: Ledger = Ledger()
    prices: Prices = Prices()
    logs: Logs = Logs()
    groups: dict[str, str] = msgspec.field(default_factory=dict)
    channels: tuple[ChannelEntry, ...] = ()
    models: tuple[ModelEntry, ...] = ()
