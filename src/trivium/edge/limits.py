"""The listening side's limits. Values and reasons: settings ``[server]``."""

from typing import Final

from trivium.faults import Fault, Kind
from trivium.pipeline.services import Headers
from trivium.settings.model import ServerSettings
from trivium.wire.json_size import MEMBERS_EACH, VALUES_EACH

PAGE_BODY_BYTES_MAX: Final = 1_048_576
"""A form or an event of a payment provider; the relay's own limit is far above it."""


class ServerLimits(ServerSettings, frozen=True):
    """The settings, which say what each is for, and what follows from them for one connection."""

    linger_s: float = 2.0
    """After an error that leaves request bytes unread: how long they are still taken in and thrown
    away, so that the caller reads the answer instead of a reset (nginx's ``lingering_close``)."""
    half_closed_cancels: bool = True


def body_too_large(limits: ServerLimits, *, form: bool = False) -> Fault:
    """The fault for a body beyond its limit; ``form``: one that is taken in as an upload."""
    if form:
        return Fault(
            Kind.BODY_TOO_LARGE,
            f"The upload exceeds {limits.upload_bytes_max} bytes, the most that this gateway takes "
            "of one form (its operator's `server.upload_bytes_max`).",
        )
    return Fault(
        Kind.BODY_TOO_LARGE,
        f"The request body exceeds {limits.body_bytes_max} bytes, the most that this gateway takes "
        "(its operator's `server.body_bytes_max`).",
    )


def page_too_large() -> Fault:
    """The fault for a form of a page, or a request of its API, that is too large."""
    return Fault(Kind.BODY_TOO_LARGE, f"The request body exceeds {PAGE_BODY_BYTES_MAX} bytes.")


def too_many_objects(limits: ServerLimits) -> Fault:
    """The fault for a large body of many small things."""
    return Fault(
        Kind.BODY_TOO_LARGE,
        f"The request holds more than {limits.objects_max} JSON objects and arrays, "
        f"{MEMBERS_EACH * limits.objects_max} members or {VALUES_EACH * limits.objects_max} "
        "values, the most that this gateway takes (its operator's `server.objects_max`).",
    )


def headers_too_large(limits: ServerLimits) -> Fault:
    """The fault for a head beyond the limits."""
    return Fault(
        Kind.HEADERS_TOO_LARGE,
        f"The request headers exceed {limits.header_bytes_max} bytes "
        f"or {limits.headers_max} lines.",
    )


def framing_too_large(limits: ServerLimits) -> Fault:
    """The fault for a chunked body with too much in it that is no body."""
    return Fault(
        Kind.HEADERS_TOO_LARGE,
        f"The chunk lines and trailers of the request exceed {limits.header_bytes_max} bytes "
        "beyond what its chunks account for.",
    )


def too_slow(part: str) -> Fault:
    """The fault for headers, or a body, that take too long to come."""
    return Fault(Kind.REQUEST_TIMEOUT, f"The request {part} did not arrive in time.")


def check_head(target: bytes, headers: Headers, limits: ServerLimits) -> None:
    """Raise ``Fault`` for a head beyond the limits, as it is most shortly written.

    Heads that came whole, or several together, were not counted while they were read. Once a
    request; a list costs half of what a generator does.
    """
    size = len(target) + sum([len(name) + len(value) + 4 for name, value in headers])
    if size > limits.header_bytes_max or len(headers) > limits.headers_max:
        raise headers_too_large(limits)
