"""The families of numbers: their names, labels, units, and what they mean to an operator.

Names and labels are a promise: they are only ever added to. Every label has few values, all of the
operator's own choosing; what a caller writes is never one.
"""

from enum import Enum
from typing import Final

import msgspec


class Sort(Enum):
    """The type of a family, in Prometheus' words."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """A metric: its name, labels, unit and help."""

    name: str
    sort: Sort
    about: str
    """One sentence, for the text and for docs/operate/metrics.md."""
    labels: tuple[str, ...] = ()
    bounds_ms: tuple[int, ...] = ()
    """Upper bounds of a histogram's buckets in milliseconds; the last bucket has none."""
    is_micro: bool = False
    """Whether it is kept in microseconds and written as seconds."""
    is_first: bool = False
    """Whether the least of all workers' numbers is theirs together, instead of the sum."""


_BOUNDS_MS: Final = (
    5,
    10,
    25,
    50,
    100,
    250,
    500,
    1000,
    2500,
    5000,
    10_000,
    30_000,
    60_000,
    300_000,
)
"""A whole answer of a model takes from milliseconds (embeddings) to minutes (reasoning)."""

REQUESTS: Final = Family(
    name="trivium_requests_total",
    sort=Sort.COUNTER,
    about="Requests that have ended, by the HTTP status sent; 499: the caller left before any.",
    labels=("operation", "model", "channel", "status"),
)
FAULTS: Final = Family(
    name="trivium_faults_total",
    sort=Sort.COUNTER,
    about="Requests that did not end well, also in the middle of a stream, by kind of fault.",
    labels=("operation", "channel", "fault"),
)
ATTEMPTS: Final = Family(
    name="trivium_attempts_total",
    sort=Sort.COUNTER,
    about="Calls of upstreams; more than requests where channels failed and others were tried.",
    labels=("operation",),
)
TOKENS: Final = Family(
    name="trivium_tokens_total",
    sort=Sort.COUNTER,
    about="Tokens reported by upstreams or estimated; no kind contains another.",
    labels=("model", "channel", "kind"),
)
BYTES: Final = Family(
    name="trivium_bytes_total",
    sort=Sort.COUNTER,
    about="Bytes of requests received (in) and of answers sent (out).",
    labels=("direction",),
)
SECONDS: Final = Family(
    name="trivium_request_seconds",
    sort=Sort.HISTOGRAM,
    about="From a whole request to the last byte of its answer.",
    labels=("operation",),
    bounds_ms=_BOUNDS_MS,
)
FIRST_BYTE: Final = Family(
    name="trivium_first_byte_seconds",
    sort=Sort.HISTOGRAM,
    about="From a whole request to the first byte of its answer.",
    labels=("operation", "channel"),
    bounds_ms=_BOUNDS_MS,
)
LOST: Final = Family(
    name="trivium_records_lost_total",
    sort=Sort.COUNTER,
    about="Request records that the database never got, because it was away for too long.",
)
CONNECTIONS: Final = Family(
    name="trivium_connections",
    sort=Sort.GAUGE,
    about="Open connections of callers.",
)
RUNNING: Final = Family(
    name="trivium_requests_running",
    sort=Sort.GAUGE,
    about="Connections with a request under way.",
)
RECORDS_WAITING: Final = Family(
    name="trivium_records_waiting",
    sort=Sort.GAUGE,
    about="Request records not yet in the database; growing while it is away.",
)
SETTLEMENTS_WAITING: Final = Family(
    name="trivium_settlements_waiting",
    sort=Sort.GAUGE,
    about="Settled requests in the journal whose entries are not yet in the database.",
)
RESTING: Final = Family(
    name="trivium_channel_resting",
    sort=Sort.GAUGE,
    about="Workers that leave a channel alone for a model (empty: for all) after which fault.",
    labels=("channel", "model", "fault"),
)
UPSTREAM_CONNECTIONS: Final = Family(
    name="trivium_upstream_connections",
    sort=Sort.GAUGE,
    about="Connections to upstreams: idle, or busy with a call or being made.",
    labels=("state",),
)
UPSTREAM_WAITING: Final = Family(
    name="trivium_upstream_calls_waiting",
    sort=Sort.GAUGE,
    about="Calls that wait for a connection, because upstream.connections_max is reached.",
)
UPSTREAM_CALLS: Final = Family(
    name="trivium_upstream_calls_total",
    sort=Sort.COUNTER,
    about="How calls came to a connection: made, reused, retried on another, or refused in vain.",
    labels=("connection",),
)
WORKERS: Final = Family(
    name="trivium_workers",
    sort=Sort.GAUGE,
    about="Worker processes whose numbers these are.",
)
BUILD: Final = Family(
    name="trivium_build_info",
    sort=Sort.GAUGE,
    about="1, labelled with the version that answers.",
    labels=("version",),
)

MISSING: Final = Family(
    name="trivium_part_missing",
    sort=Sort.GAUGE,
    about="Workers that do without a part; accepting, journal and ledger: /readyz is 503.",
    labels=("part",),
)
DOUBTED: Final = Family(
    name="trivium_clock_doubted",
    sort=Sort.GAUGE,
    about="Workers whose clock has jumped by a minute or more, not back, and less than a day ago.",
)
LAG: Final = Family(
    name="trivium_loop_lag_seconds",
    sort=Sort.HISTOGRAM,
    about="How late the event loop comes to what is due, looked at four times a second.",
    bounds_ms=(1, 5, 10, 25, 50, 100, 250, 500, 1000, 5000),
)
PROCESSOR: Final = Family(
    name="process_cpu_seconds_total",
    sort=Sort.COUNTER,
    about="Processor time of the workers, user and system.",
    is_micro=True,
)
MEMORY: Final = Family(
    name="process_resident_memory_bytes",
    sort=Sort.GAUGE,
    about="Resident memory of the workers; pages that they share count in each.",
)
FDS: Final = Family(
    name="process_open_fds",
    sort=Sort.GAUGE,
    about="Open file descriptors of the workers.",
)
FDS_MAX: Final = Family(
    name="process_max_fds",
    sort=Sort.GAUGE,
    about="File descriptors that one worker may have open.",
    is_first=True,
)
STARTED: Final = Family(
    name="process_start_time_seconds",
    sort=Sort.GAUGE,
    about="When the oldest worker began to serve, in seconds since the epoch.",
    is_micro=True,
    is_first=True,
)

FAMILIES: Final = (
    REQUESTS, FAULTS, ATTEMPTS, TOKENS, BYTES, SECONDS, FIRST_BYTE, LOST, CONNECTIONS, RUNNING,
    RECORDS_WAITING, SETTLEMENTS_WAITING, RESTING, UPSTREAM_CONNECTIONS, UPSTREAM_WAITING,
    UPSTREAM_CALLS, WORKERS, MISSING, DOUBTED, LAG, PROCESSOR, MEMORY, FDS, FDS_MAX, STARTED, BUILD,
)  # fmt: skip
"""In the order they are written."""

KINDS: Final = (
    "fresh", "cache_read", "cache_write_short", "cache_write_long", "output", "reasoning",
    "audio_input", "audio_output", "image_input", "image_output",
)  # fmt: skip
"""Kinds of tokens, as in the canonical usage record."""

SERIES_MAX: Final = 10_000
"""Label sets a worker keeps of counters and histograms; what is new beyond goes under OTHER."""
OTHER: Final = "other"
