"""The families of numbers: their names, labels, units, and what they mean to an operator.

Names and labels are a promise: they are only ever added to. Every label has few values, all of the
operator's own choosing; what a caller writes is never one.
"""

from enum import Enum
from functools import partial
from typing import Final

import msgspec


class Sort(Enum):
    """The type of a family, in Prometheus' words."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Family(msgspec.Struct, frozen=True):
    """A metric: its name, labels, unit and help."""

    sort: Sort
    name: str
    about: str
    """One sentence, for the text and for docs/operate/metrics.md."""
    labels: tuple[str, ...] = ()
    bounds_ms: tuple[int, ...] = ()
    """Upper bounds of a histogram's buckets in milliseconds; the last bucket has none."""
    is_micro: bool = False
    """Whether it is kept in microseconds and written as seconds."""
    is_first: bool = False
    """Whether the least of all workers' numbers is theirs together, instead of the sum."""


_counter: Final = partial(Family, Sort.COUNTER)
_gauge: Final = partial(Family, Sort.GAUGE)
_histogram: Final = partial(Family, Sort.HISTOGRAM)

_BOUNDS_MS: Final = (
    5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000,
)  # fmt: skip
"""A whole answer of a model takes from milliseconds (embeddings) to minutes (reasoning)."""

REQUESTS: Final = _counter(
    "trivium_requests_total",
    "Requests that have ended, by the HTTP status sent; 499: the caller left before any.",
    ("operation", "model", "channel", "status"),
)
FAULTS: Final = _counter(
    "trivium_faults_total",
    "Requests that did not end well, also in the middle of a stream, by kind of fault.",
    ("operation", "channel", "fault"),
)
ATTEMPTS: Final = _counter(
    "trivium_attempts_total",
    "Calls of upstreams; more than requests where channels failed and others were tried.",
    ("operation",),
)
TOKENS: Final = _counter(
    "trivium_tokens_total",
    "Tokens reported by upstreams or estimated; no kind contains another.",
    ("model", "channel", "kind"),
)
BYTES: Final = _counter(
    "trivium_bytes_total",
    "Bytes of requests received (in) and of answers sent (out).",
    ("direction",),
)
SECONDS: Final = _histogram(
    "trivium_request_seconds",
    "From a whole request to the last byte of its answer.",
    ("operation",),
    bounds_ms=_BOUNDS_MS,
)
FIRST_BYTE: Final = _histogram(
    "trivium_first_byte_seconds",
    "From a whole request to the first byte of its answer.",
    ("operation", "channel"),
    bounds_ms=_BOUNDS_MS,
)
LOST: Final = _counter(
    "trivium_records_lost_total",
    "Request records that the database never got, because it was away for too long.",
)
CONNECTIONS: Final = _gauge("trivium_connections", "Open connections of callers.")
RUNNING: Final = _gauge("trivium_requests_running", "Connections with a request under way.")
RECORDS_WAITING: Final = _gauge(
    "trivium_records_waiting", "Request records not yet in the database; growing while it is away."
)
SETTLEMENTS_WAITING: Final = _gauge(
    "trivium_settlements_waiting",
    "Settled requests in the journal whose entries are not yet in the database.",
)
RESTING: Final = _gauge(
    "trivium_channel_resting",
    "Workers that leave a channel alone for a model (empty: for all) after which fault.",
    ("channel", "model", "fault"),
)
UPSTREAM_CONNECTIONS: Final = _gauge(
    "trivium_upstream_connections",
    "Connections to upstreams: idle, or busy with a call or being made.",
    ("state",),
)
UPSTREAM_WAITING: Final = _gauge(
    "trivium_upstream_calls_waiting",
    "Calls that wait for a connection, because upstream.connections_max is reached.",
)
UPSTREAM_CALLS: Final = _counter(
    "trivium_upstream_calls_total",
    "How calls came to a connection: made, reused, retried on another, or refused in vain.",
    ("connection",),
)
IDENTITY_LIFE: Final = _gauge(
    "trivium_identity_life_seconds",
    "For how long a channel's token or found identity still holds, of the worker that has least.",
    ("channel",),
    is_micro=True,
    is_first=True,
)
IDENTITY_FAILURES: Final = _counter(
    "trivium_identity_failures_total",
    "Attempts to fetch a channel's token or to find its identity that failed.",
    ("channel",),
)
WORKERS: Final = _gauge("trivium_workers", "Worker processes whose numbers these are.")
BUILD: Final = _gauge(
    "trivium_build_info", "1, labelled with the version that answers.", ("version",)
)

MISSING: Final = _gauge(
    "trivium_part_missing",
    "Workers that do without a part; accepting, journal and ledger: /readyz is 503.",
    ("part",),
)
DOUBTED: Final = _gauge(
    "trivium_clock_doubted",
    "Workers whose clock has jumped by a minute or more, not back, and less than a day ago.",
)
PRICES_WAITING: Final = _gauge(
    "trivium_price_proposals_waiting",
    "Proposals of other prices that nobody has decided, within ten minutes; with prices.nightly.",
    is_first=True,
)
PRICES_FOUND: Final = _counter(
    "trivium_price_changes_total",
    "Prices that the nightly look found to be others than before, by who says so.",
    ("source",),
)
LAG: Final = _histogram(
    "trivium_loop_lag_seconds",
    "How late the event loop comes to what is due, looked at four times a second.",
    bounds_ms=(1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 5000),
)
PROCESSOR: Final = _counter(
    "process_cpu_seconds_total", "Processor time of the workers, user and system.", is_micro=True
)
MEMORY: Final = _gauge(
    "process_resident_memory_bytes",
    "Resident memory of the workers; pages that they share count in each.",
)
FDS: Final = _gauge("process_open_fds", "Open file descriptors of the workers.")
FDS_MAX: Final = _gauge(
    "process_max_fds", "File descriptors that one worker may have open.", is_first=True
)
STARTED: Final = _gauge(
    "process_start_time_seconds",
    "When the oldest worker began to serve, in seconds since the epoch.",
    is_micro=True,
    is_first=True,
)

FAMILIES: Final = (
    REQUESTS, FAULTS, ATTEMPTS, TOKENS, BYTES, SECONDS, FIRST_BYTE, LOST, CONNECTIONS, RUNNING,
    RECORDS_WAITING, SETTLEMENTS_WAITING, RESTING, UPSTREAM_CONNECTIONS, UPSTREAM_WAITING,
    UPSTREAM_CALLS, IDENTITY_LIFE, IDENTITY_FAILURES, WORKERS, MISSING, DOUBTED,
    PRICES_WAITING, PRICES_FOUND, LAG, PROCESSOR, MEMORY, FDS, FDS_MAX, STARTED, BUILD,
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
