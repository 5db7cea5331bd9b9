"""Log set-up: one line an event, static event names, data as fields, nothing secret.

Our events and those of libraries (asyncio, SQLAlchemy) take the same way, through the mask of
``observe/redact.py``. A log call never raises: a standard error that is gone must not fail a
request.
"""

import logging
import sys
import threading
from collections.abc import MutableMapping
from typing import Any, Final, TextIO

import msgspec
import structlog

from trivium.observe.redact import redact_fields

LEVELS: Final = ("debug", "info", "warning", "error", "critical")
FORMS: Final = ("auto", "json", "text")
_MUTED: Final = ("azure", "botocore", "google.auth", "google.oauth2", "msal")
"""Libraries that find identities. They log what a token service answers, which may be what it was
sent; why there is no identity is told by ``upstream/tokens.py``, without that."""

log = structlog.get_logger()


def setup(level: str = "info", form: str = "auto", stream: TextIO | None = None) -> None:
    """Send every event of this level and above to ``stream`` (``None``: standard error).

    ``form``: ``json``, ``text``, or ``auto``, which is text on a terminal. Libraries are heard
    from ``warning`` on, those of ``_MUTED`` hardly ever. May be called again. Raises
    ``ValueError`` for another word.
    """
    if level not in LEVELS:
        raise ValueError(f"logs.level must be one of {', '.join(LEVELS)}, not {level!r}")
    if form not in FORMS:
        raise ValueError(f"logs.format must be one of {', '.join(FORMS)}, not {form!r}")
    stream = stream or sys.stderr
    number = getattr(logging, level.upper())
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
            structlog.processors.format_exc_info,
            _redact,
            _as_text if is_text(form, stream) else _as_json,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(_Quiet(stream)),  # type: ignore[arg-type] # it only writes and flushes
        # a logger that was cached would not follow a second set-up
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    for handler in [handler for handler in root.handlers if isinstance(handler, _Libraries)]:
        root.removeHandler(handler)
    root.addHandler(_Libraries())
    root.setLevel(max(number, logging.WARNING))
    mute()


def mute() -> None:
    """Have the libraries of ``_MUTED`` say no more, also where no log was set up."""
    for name in _MUTED:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def is_text(form: str, stream: TextIO) -> bool:
    """Whether that ``form`` means text for people on this stream, and not JSON."""
    return form == "text" or (form == "auto" and stream.isatty())


def setup_process(level: str, form: str) -> None:
    """As ``setup`` on standard error, for a process that does nothing but serve.

    Whatever Python itself would write there in lines of its own is logged as well: warnings, what
    ends a thread, what a destructor raises.
    """
    setup(level, form)
    logging.captureWarnings(capture=True)
    sys.unraisablehook = _unraisable
    threading.excepthook = _of_thread


def say(text: str, stream: TextIO | None = None) -> None:
    """Write a sentence for people as one line of the log, whatever the level is."""
    processors = structlog.get_config()["processors"]
    event: Any = {"event": "notice", "message": text}
    for processor in processors:
        event = processor(None, "info", event)
    print(event, file=stream or sys.stderr, flush=True)


def _unraisable(found: "sys.UnraisableHookArgs") -> None:
    log.error("unraisable", where=repr(found.object)[:200], exc_info=found.exc_value)


def _of_thread(found: threading.ExceptHookArgs) -> None:
    log.error("thread_crashed", exc_info=found.exc_value)


class _Quiet:
    """A stream whose failures are ignored."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        try:
            self._stream.write(text)
        except (OSError, ValueError):
            return

    def flush(self) -> None:
        try:
            self._stream.flush()
        except (OSError, ValueError):
            return


class _Libraries(logging.Handler):
    """Turns what libraries log into events of ours."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            message = record.getMessage()
        except Exception:  # noqa: BLE001 - a library's mistake in its own format
            message = str(record.msg)
        level = min(max(record.levelno // 10 * 10, logging.DEBUG), logging.CRITICAL)
        log.log(
            level, "library", logger=record.name, message=message, exc_info=record.exc_info or None
        )


def _redact(_: Any, __: str, event: MutableMapping[str, Any]) -> dict[str, Any]:
    return redact_fields(event)


def _as_json(_: Any, __: str, event: MutableMapping[str, Any]) -> str:
    first = {name: event.pop(name) for name in ("at", "level", "event") if name in event}
    return msgspec.json.encode(first | dict(event)).decode()


def _as_text(_: Any, __: str, event: MutableMapping[str, Any]) -> str:
    """``2026-11-21T04:00:00Z warning  keys_stale age_s=3.0``; no value can forge a second line."""
    trace = event.pop("exception", "")
    head = f"{event.pop('at', '')} {event.pop('level', ''):8} {_plain(event.pop('event', ''))}"
    fields = "".join(f" {name}={_plain(value)}" for name, value in event.items())
    lines = "".join(f"\n  {_printable(line)}" for line in str(trace).split("\n") if line)
    return head + fields + lines


def _plain(value: Any) -> str:
    """A value as it is when that is one printable word, else its ``repr``."""
    text = value if isinstance(value, str) else repr(value)
    if not isinstance(value, str):
        return text
    return text if text and text.isprintable() and not set(text) & set(" =\"'") else repr(text)


def _printable(line: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
