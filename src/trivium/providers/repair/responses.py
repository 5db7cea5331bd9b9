"""The response object of llama.cpp's server, made what the official SDKs read.

It lacks most members, and its ``status`` is ``completed`` even when the answer was cut by
``max_output_tokens``. Every member the engine does send stays; those that it neither echoes nor
knows are null or the protocol's default.

Source: llama.cpp's server in xllamacpp 2026.10.11549, recorded 2026-11-21; what clients insist on:
openai-python 3.52.0 and AI SDK 7 run on 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.wire.responses.failure import minimal

_UNSAID: Final = frozenset({"background", "reasoning", "store", "user"})
"""Members that nobody misses where the engine does not send them."""
_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode


def whole(response: dict[str, Any], *, model: str, at: int) -> dict[str, Any]:
    """A response object with every member that clients read without looking."""
    bare = {name: value for name, value in minimal(model, "").items() if name not in _UNSAID}
    out: dict[str, Any] = bare | {"id": "", "created_at": at} | response
    if not isinstance(out["output"], list):
        out["output"] = []
    for item in out["output"]:
        if isinstance(item, dict):
            complete_item(item, "completed")
    usage = out["usage"]
    if isinstance(usage, dict):
        _details(usage, "input_tokens_details", ("cached_tokens", "cache_write_tokens"))
        _details(usage, "output_tokens_details", ("reasoning_tokens",))
    return out


def cut(response: dict[str, Any], limit: int | None) -> bool:
    """Mark ``response`` as incomplete when it used up the request's own limit.

    An answer that ended by itself on its very last allowed token is marked too: the engine says
    nothing that would tell them apart.
    """
    usage = response["usage"]
    if limit is None or response["status"] != "completed" or not isinstance(usage, dict):
        return False
    used = usage.get("output_tokens")
    if not isinstance(used, int) or used < limit:
        return False
    response["status"] = "incomplete"
    response["incomplete_details"] = {"reason": "max_output_tokens"}
    return True


def answer(body: bytes, *, model: str, limit: int | None, at: int) -> bytes:
    """A whole, unstreamed answer made complete; what is no response object stays as it is."""
    try:
        response = _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body
    if not isinstance(response, dict) or response.get("object") != "response":
        return body
    response = whole(response, model=model, at=at)
    if cut(response, limit) and response["output"]:
        last = response["output"][-1]
        if isinstance(last, dict):
            last["status"] = "incomplete"
    return _encode(response)


class _Asked(msgspec.Struct, gc=False):
    max_output_tokens: int | None = None


def limit(request: bytes) -> int | None:
    """The output limit of a request as it goes upstream; ``None`` where it says none."""
    return msgspec.json.decode(request, type=_Asked).max_output_tokens


def complete_item(item: dict[str, Any], status: str) -> None:
    """Add what clients read of an item without looking."""
    kind = item.get("type")
    if kind == "message":
        item.setdefault("role", "assistant")
        item.setdefault("content", [])
        for part in item["content"] if isinstance(item["content"], list) else ():
            if isinstance(part, dict):
                complete_part(part)
    elif kind == "function_call":
        item.setdefault("arguments", "")
        item.setdefault("call_id", item.get("id", ""))
    elif kind == "reasoning":
        item.setdefault("summary", [])
    item.setdefault("status", status)


def complete_part(part: dict[str, Any]) -> None:
    """Add what clients read of a part without looking."""
    if part.get("type") == "output_text":
        part.setdefault("text", "")
        part.setdefault("annotations", [])
        part.setdefault("logprobs", [])


def _details(usage: dict[str, Any], name: str, counts: tuple[str, ...]) -> None:
    known = usage.get(name)
    usage[name] = dict.fromkeys(counts, 0) | (known if isinstance(known, dict) else {})
