"""Faults of answers that are not what the messages protocol says."""

from trivium.faults import Fault, Kind


def broke() -> Fault:
    """The fault for nonsense."""
    return Fault(Kind.UPSTREAM_BROKE, "The upstream's answer is not one of the messages protocol.")


def nameless() -> Fault:
    """The fault for a call of no tool: nobody could run it."""
    return Fault(
        Kind.UPSTREAM_BROKE,
        "The upstream's answer is not one of the messages protocol: a call has no name.",
    )
