"""The fault of an answer that is none of this protocol."""

from trivium.faults import Fault, Kind


def broke() -> Fault:
    """Nonsense from upstream."""
    return Fault(
        Kind.UPSTREAM_BROKE, "The upstream's answer is not one of the generate-content protocol."
    )
