"""Why an answer ended, between this shape's words and the closed set.

There is no word for tool calls: a turn with calls ends with ``STOP``. Source: the vendor's
reference and google-genai 3.4, read on 2026-11-21.
"""

from typing import Final

from trivium.conversation.finish import Finish, Unified
from trivium.faults import Fault, Kind

UNSAID: Final = "FINISH_REASON_UNSPECIFIED"

_FILTERED: Final = frozenset(
    {
        "SAFETY",
        "RECITATION",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "MODEL_ARMOR",
        "ESCALATION",
        "PUP_LIMITED_DISABLED",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",
    }
)
_VAGUE: Final = frozenset({"LANGUAGE", "OTHER", "NO_IMAGE", "IMAGE_OTHER"})
"""Stand for a refusal when nothing was said, else for nothing in particular."""
_MALFORMED: Final = frozenset(
    {
        "MALFORMED_FUNCTION_CALL",
        "UNEXPECTED_TOOL_CALL",
        "TOO_MANY_TOOL_CALLS",
        "MISSING_THOUGHT_SIGNATURE",
        "MALFORMED_RESPONSE",
    }
)
"""The model's output was no answer: nothing a caller could act on."""


CUT: Final = frozenset(
    {Unified.LENGTH, Unified.CONTEXT_FULL, Unified.CONTENT_FILTER, Unified.PAUSED}
)
"""Ends that may fall into the middle of a call: half an object cannot be said, and nobody is to run
what was stopped.
"""

_WORDS: Final = {
    Unified.STOP: "STOP",
    Unified.STOP_SEQUENCE: "STOP",
    Unified.TOOL_CALLS: "STOP",
    Unified.LENGTH: "MAX_TOKENS",
    Unified.CONTEXT_FULL: "MAX_TOKENS",
    Unified.CONTENT_FILTER: "SAFETY",
    Unified.PAUSED: "OTHER",
    Unified.OTHER: "OTHER",
}


def read(
    word: str, *, called: bool, said: bool, message: str | None = None, token: str | None = None
) -> Finish:
    """The end of a candidate. ``called``: it has calls; ``said``: it has anything at all.

    Raises ``Fault`` (UPSTREAM_BROKE) where the vendor says that the model's output was malformed.
    """
    if word in _MALFORMED:
        raise Fault(
            Kind.UPSTREAM_BROKE,
            f"The model's output could not be used: the upstream reports {word}.",
            code="upstream_malformed_output",
        )
    if word == "STOP":
        unified = Unified.TOOL_CALLS if called else Unified.STOP
    elif word == "MAX_TOKENS":
        unified = Unified.LENGTH
    elif word in _FILTERED or (word in _VAGUE and not said):
        unified = Unified.CONTENT_FILTER
    elif word == "CONTINUATION":
        return Finish(Unified.PAUSED, word, explanation=message, token=token)
    else:
        unified = Unified.OTHER
    return Finish(unified, word, explanation=message)


def blocked(reason: str, message: str | None) -> Finish:
    """The end of an answer whose prompt was blocked."""
    return Finish(
        Unified.CONTENT_FILTER,
        reason,
        explanation=message or f"The prompt was blocked by the model's provider ({reason}).",
    )


def word(finish: Finish) -> str:
    """The word for an end; the vendor's own where it is one of this shape's.

    Never ``CONTINUATION`` without its token: google-genai would ask again for ever.
    """
    unified = finish.unified
    if unified is Unified.PAUSED:
        return "CONTINUATION" if finish.token else "OTHER"
    if unified is Unified.CONTENT_FILTER and finish.raw in _FILTERED | _VAGUE:
        return finish.raw
    if unified is Unified.OTHER and finish.raw in _VAGUE:
        return finish.raw
    return _WORDS[unified]
