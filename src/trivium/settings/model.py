"""Every setting with its unit, its default and why that default. Read by ``settings/load.py``.

The TOML file has one table per struct below; ``TRIVIUM_SECTION__NAME`` in the environment
overrides a scalar. Unknown settings are errors. A secret is written ``env:NAME``, ``file:PATH`` or
as a store has it (``secret_stores/``).
"""

import msgspec

from trivium.settings.accounts import AccountsSettings, LoginEntry, MailSettings
from trivium.settings.entries import ChannelEntry, ModelEntry
from trivium.settings.payments import PaymentsSettings
from trivium.settings.section import (
    AssetsSettings,
    AuditSettings,
    FetchSettings,
    ImagesSettings,
    JobsSettings,
    MetricsSettings,
    OAuthSettings,
    PluginsSettings,
    SecretsSettings,
    Section,
)
from trivium.settings.workloads import WorkloadEntry


class ServerSettings(Section, frozen=True):
    """Where the gateway listens, and what it takes from callers."""

    listen: str = "127.0.0.1:8080"
    """HOST:PORT. Loopback until an operator decides otherwise."""
    workers: int = 1
    """Processes. More than one needs ``shared.url``."""
    admin_listen: str | None = None
    """HOST:PORT of the pages plane; ``None``: the same port as the relay."""
    public_url: str | None = None
    """How the outside sees the gateway: https, or loopback; ``None``: ``http://`` and
    ``listen``."""
    auth_url: str | None = None
    """Origin of the OAuth endpoints and of the pages; ``None``: ``public_url``."""
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
    body_bytes_max: int = 33_554_432
    """32 MiB, as much as Anthropic takes; larger media go as uploads or by URL. One body is read in
    one go, which others wait for: 3 to 10 ms for each MiB."""
    bodies_bytes_max: int = 536_870_912
    """Request bodies that a worker keeps in memory at once, 512 MiB: each until its answer begins.
    Beyond it requests get 503. One user has a quarter of it, and up to half while others need less.
    As much of inputs that will be stored may be in temporary files.
    """
    objects_max: int = 100_000
    """JSON objects and arrays in a body larger than 1 MiB, with two members and five values to
    each: three bytes on the wire take a kilobyte of memory. In one of more than 128 KiB that is
    translated between shapes a quarter of it."""
    upload_bytes_max: int = 268_435_456
    """A multipart form with its files, 256 MiB: kept in a file, so it may be larger than a body."""
    upload_memory_bytes: int = 1_048_576
    """Of one upload's files that are kept in memory; beyond 1 MiB all go to a temporary file."""
    upload_folder: str | None = None
    """Where those files are; ``None``: the system's folder for temporary files, which is memory on
    some systems (tmpfs). They have no names there and end with the request. So are large inputs of
    responses that will be stored."""
    uploads_bytes_max: int = 8_589_934_592
    """Of all uploads that a worker keeps at once, 8 GiB; beyond it they are refused with 503."""
    header_timeout_s: float = 15.0
    """From the first byte of a request to the end of its headers; and for a TLS handshake."""
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
    drain_notice_s: float = 2.0
    """After SIGTERM: how long connections are still accepted while ``/readyz`` says 503 already, so
    that whatever asks it sends its callers elsewhere first. SIGINT and a second signal skip it."""
    drain_idle_s: float = 5.0
    """How long a drain leaves idle connections open, at most a quarter of ``drain_s``: a request
    may be on its way. Proxies should close theirs sooner."""
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
    addresses and for limits of logins by address. Empty: whoever is connected is the caller."""
    explain_headers: bool = True
    """Whether answers carry ``trivium-channel``, ``trivium-attempts``, ``trivium-cost`` and, where
    channels failed or were passed over, ``trivium-route``."""


class StorageSettings(Section, frozen=True):
    """The database, and the directory of the journals."""

    url: str = "sqlite:///trivium.db"
    """``sqlite:///PATH``, ``postgresql://USER:PASSWORD@HOST/DB``, or
    ``postgresql:///DB?host=/DIRECTORY`` for a server's socket.
    """
    journal: str = "journal/"
    """Directory of the workers' journals."""
    pool: int = 5
    """PostgreSQL connections a worker may hold."""
    poll_s: float = 1.0
    """How often a worker looks for changed keys: revocation is in force within twice this."""


class SharedSettings(Section, frozen=True):
    """State shared by workers and nodes."""

    url: str = ""
    """``redis://…`` or ``valkey://…``; empty: none."""


class UpstreamSettings(Section, frozen=True):
    """Calls to vendors: limits for all channels, unless a channel sets its own."""

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


class RoutingSettings(Section, frozen=True):
    """What one request may cost the upstreams, and when a failing upstream rests."""

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
    """The longest rest of a credential that the vendor refuses: it is probed after ``cooldown_s``
    and after twice as long each time; a reload does it at once. Also the longest that a vendor's
    ``Retry-After`` is heeded."""


class RecordsSettings(Section, frozen=True):
    """Request records: how they are written, and for how long they are kept."""

    flush_s: float = 1.0
    """How often records are written, in one batch."""
    queue_max: int = 100_000
    """Records that may wait while the database is away; the oldest are then dropped and counted."""
    retention_days: int = 90
    """Older records are swept; 0 keeps them for ever."""
    attribution_days: int = 400
    """Sums by end user, session and tag are kept until they were not said for so long; sums by
    team, user, key and model stay. 0 keeps them for ever."""
    traffic_days: int = 400
    """Sums of requests by time, model, channel, outcome and key are kept for so long: by the day,
    the latest by the hour and by five minutes. 0 keeps them for ever."""
    hash_end_users: bool = False
    """Whether of the end users that callers name only a hash is kept, in records and statements; it
    takes the deployment's secret, so nobody finds the name by trying."""
    hash_sessions: bool = False
    """The same for sessions."""


class LedgerSettings(Section, frozen=True):
    """Holds, the journal and what a broken request costs."""

    flush_s: float = 1.0
    """How often settled requests are booked in the database, in one batch."""
    fsync_ms: int = 0
    """How often the journal is forced to the disk, for a loss of power; 0: the system decides
    (the death of a process alone loses nothing)."""
    interrupted: str = "input"
    """What a request costs that was running when its worker was killed: ``input`` (its estimated
    input, as for a caller that leaves before the first byte), ``free``, or ``hold`` (the most it
    could have cost)."""
    abandoned: str = "cancel"
    """What becomes of a request for a whole answer whose caller leaves: ``cancel`` (the vendor is
    cut off, the input and what was delivered are charged) or ``finish`` (the answer is waited for
    and charged as the vendor reports it, which is what the vendor itself may bill)."""
    ahead_s: float = 360.0
    """How long an account's requests go on while the database is away, where its balance is ample:
    each worker leases what they came to lately for as long, at most a quarter of what is left.
    Five minutes, and a fifth more for requests that come faster meanwhile."""
    lease_s: float = 900.0
    """After so long without a word from a worker, what it had leased is free again. Beyond half of
    it without the database a worker stops spending."""


class PricesSettings(Section, frozen=True):
    """Suggested prices, see ``trivium prices``. None applies until it is adopted."""

    source: str | None = None
    """Where ``trivium prices update`` fetches newer ones; ``None``: nowhere."""
    public_key: str | None = None
    """Who has to have signed them: an Ed25519 key in base64. Needed with ``source``."""
    nightly: bool = False
    """Whether one node reads the vendors' own lists each night and proposes what differs. Nothing
    is changed by it."""


class ResponsesSettings(Section, frozen=True):
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


class IdempotencySettings(Section, frozen=True):
    """Answers to requests that come with an ``Idempotency-Key``."""

    hours: int = 24
    """How long an answer is kept, and its key stands for it; 0: the header is passed over."""
    answer_bytes_max: int = 4_194_304
    """An answer beyond 4 MiB is not kept; it is answered all the same."""
    user_keys_max: int = 10_000
    """Keys of one user: beyond so many the oldest are forgotten."""
    user_bytes_max: int = 268_435_456
    """Answers of one user: beyond 256 MiB the oldest are no longer kept."""


class InvoicesSettings(Section, frozen=True):
    """Who makes out invoices, and how they are printed."""

    seller: str = ""
    """Its name, under which invoices are numbered from 1; empty: none are made out."""
    address: tuple[str, ...] = ()
    """The other lines of its address, tax numbers among them, each printed as it is."""
    prefix: str = ""
    """What stands before an invoice's number, such as ``INV-``."""
    fonts: tuple[str, ...] = ()
    """Files of TrueType fonts, asked in turn for a character; behind them stands one of Western
    European letters."""


class TracesSettings(Section, frozen=True):
    """What clients do not send back: the reasoning behind a tool call, who made a signature."""

    retention_days: int = 7
    """How long a conversation may rest and still go on with its reasoning; 0 remembers nothing."""
    trace_bytes_max: int = 1_048_576
    """The reasoning before one call with its signatures; a larger one is not kept."""
    memory_bytes_max: int = 33_554_432
    """Kept in a worker's memory; the database has the rest."""


class LogsSettings(Section, frozen=True):
    """What is logged, to standard error."""

    level: str = "info"
    """``debug``, ``info``, ``warning`` or ``error``: that and everything above it."""
    format: str = "auto"
    """``json``, ``text``, or ``auto``: text on a terminal."""


class Settings(Section, frozen=True):
    """All settings: a member for each table of the file."""

    server: ServerSettings = ServerSettings()
    storage: StorageSettings = StorageSettings()
    shared: SharedSettings = SharedSettings()
    upstream: UpstreamSettings = UpstreamSettings()
    routing: RoutingSettings = RoutingSettings()
    records: RecordsSettings = RecordsSettings()
    audit: AuditSettings = AuditSettings()
    traces: TracesSettings = TracesSettings()
    responses: ResponsesSettings = ResponsesSettings()
    idempotency: IdempotencySettings = IdempotencySettings()
    invoices: InvoicesSettings = InvoicesSettings()
    ledger: LedgerSettings = LedgerSettings()
    payments: PaymentsSettings = PaymentsSettings()
    prices: PricesSettings = PricesSettings()
    fetch: FetchSettings = FetchSettings()
    oauth: OAuthSettings = OAuthSettings()
    secrets: SecretsSettings = SecretsSettings()
    logs: LogsSettings = LogsSettings()
    metrics: MetricsSettings = MetricsSettings()
    assets: AssetsSettings = AssetsSettings()
    images: ImagesSettings = ImagesSettings()
    jobs: JobsSettings = JobsSettings()
    accounts: AccountsSettings = AccountsSettings()
    mail: MailSettings = MailSettings()
    plugins: PluginsSettings = PluginsSettings()
    logins: tuple[LoginEntry, ...] = ()
    workloads: tuple[WorkloadEntry, ...] = ()
    groups: dict[str, str] = msgspec.field(default_factory=dict)
    channels: tuple[ChannelEntry, ...] = ()
    models: tuple[ModelEntry, ...] = ()
