"""What an item of a vendor's own tool says in words, for a history that another shape goes on with.

Many of these tools are run by the caller (a shell, patches): what they gave must not be lost with
the form it had. Source: openai-python 3.52.0, ``ResponseInputItem``, read 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.wire.lenient import decoded

_object: Final = msgspec.json.Decoder(dict[str, Any]).decode

_WORDS: Final = ("stdout", "stderr", "text", "logs")
"""Members of an output's parts that are words."""


def words(raw: bytes) -> str:
    """What was run, and what it gave; empty where neither is words."""
    if (item := decoded(_object, raw)) is None:
        return ""
    return "\n".join(filter(None, (_asked(item), _given(item))))


def _asked(item: dict[str, Any]) -> str:
    action, operation = item.get("action"), item.get("operation")
    if isinstance(action, dict):
        if command := _texts(action.get("command")):
            return " ".join(command)  # one, in its arguments
        return "\n".join(_texts(action.get("commands")))
    if isinstance(operation, dict):
        return "\n".join(_strings(operation, "type", "path", "diff"))
    return " ".join(_strings(item, "name", "arguments"))


def _given(item: dict[str, Any]) -> str:
    out: list[str] = []
    for name in ("output", "outputs", "results"):
        found = item.get(name)
        if isinstance(found, str):
            out.append(found)
        elif isinstance(found, list):
            for part in found:
                if isinstance(part, dict):
                    out += _strings(part, *_WORDS)
    return "\n".join(out + _strings(item, "error"))


def _texts(found: Any) -> list[str]:
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _strings(members: dict[str, Any], *names: str) -> list[str]:
    return [found for name in names if isinstance(found := members.get(name), str) and found]
