"""Usage as Cohere counts it, both ways.

``billed_units`` is what the vendor charges, ``tokens`` what its model read and wrote: the prompt
that the vendor puts around a request is in the second alone. So the first is believed, and the
second where there is no first. ``cached_tokens`` is a part of ``tokens``; what of it was billed
cannot be more than what is left when all that was not billed is taken for cached.
Source: cohere-python 7.3.1, ``Usage``, ``ApiMeta``, read 2026-11-28.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.usage import Usage
from trivium.wire.lenient import NonsenseError, count, decoded

_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


def usage(raw: bytes | msgspec.Raw) -> Usage | None:
    """The canonical record of a ``usage`` object, or of the ``meta`` of an embedding; ``None``
    where it has no count of tokens, or nonsense.
    """
    told = decoded(_decode, raw) if bytes(raw) else None
    if told is None:
        return None
    billed, used = _table(told.get("billed_units")), _table(told.get("tokens"))
    try:
        return _usage(billed, used, count(told.get("cached_tokens")))
    except NonsenseError:
        return None


def _usage(billed: dict[str, Any], used: dict[str, Any], cached: int) -> Usage | None:
    pictures = count(billed.get("image_tokens"))
    given = _first(billed.get("input_tokens"), billed.get("text_tokens"), used.get("input_tokens"))
    made = _first(billed.get("output_tokens"), used.get("output_tokens"))
    if given is None and made is None and not pictures:
        return None
    whole = count(given)
    unbilled = max(0, count(used.get("input_tokens")) - whole)
    read = min(max(0, cached - unbilled), whole)
    return Usage(
        fresh=whole - read,
        cache_read=read,
        output=count(made),
        image_input=pictures,
        estimated=given is None and not pictures,
    )


def written(usage: Usage) -> dict[str, Any]:
    """A ``usage`` object: what is billed is all that was counted."""
    counts = {"input_tokens": usage.input_total, "output_tokens": usage.output_total}
    return {"billed_units": counts, "tokens": counts, "cached_tokens": usage.cache_read}


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)
