"""Arguments of tool calls between text and object."""

from typing import Final

import msgspec

RAW_MEMBER: Final = "_raw"
"""Holds arguments that are no JSON object where the shape demands an object."""

_BACKSLASH: Final = ord("\\")
_NOTHING: Final = ("", "null")  # no set, which would go over all of a text

_decode_object: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def _number(digits: str) -> msgspec.Raw:
    return msgspec.Raw(digits.encode())


_encode: Final = msgspec.json.Encoder().encode
_decode_letters: Final = msgspec.json.Decoder(float_hook=_number).decode


def compact(raw: bytes) -> str:
    r"""JSON as text in the one spelling we ever give it: no blanks, no letters as ``\u6674``, order
    and numbers kept.

    Clients that write ASCII alone mean the letters, and a model reads them better than their
    numbers. Raises ``ValueError`` for what is no JSON.
    """
    # one byte is searched a twentieth as long as two
    if raw.find(_BACKSLASH) >= 0 and b"\\u" in raw:
        try:
            return _encode(_decode_letters(raw)).decode()
        except (ValueError, OverflowError, RecursionError):
            pass  # numbers out of every range: nobody reads those
    return msgspec.json.format(raw, indent=-1).decode()


def argument_object(arguments: str) -> tuple[bytes, bool]:
    """Arguments as a JSON object, and whether they were one.

    Blank text is an empty object (a call without arguments), and so is ``null``, which servers and
    agents write who keep nothing where nothing was said. Anything else that is no object is kept
    word for word under ``_raw``: silently running a tool with nothing is worse.
    """
    if arguments.strip() in _NOTHING:
        return b"{}", True
    data = arguments.encode()
    try:
        _decode_object(data)
        return msgspec.json.format(data, indent=-1), True
    except (ValueError, RecursionError):
        return msgspec.json.encode({RAW_MEMBER: arguments}), False


def unwrapped_arguments(raw: bytes) -> str:
    """Text of an argument object: our own ``_raw`` wrapping is undone, all else is compacted.

    Raises ``ValueError`` for what is no JSON.
    """
    if b'"_raw"' in raw:
        members = msgspec.json.decode(raw)
        if isinstance(members, dict) and len(members) == 1:
            text = members.get(RAW_MEMBER)
            if isinstance(text, str):
                return text
    return compact(raw)
