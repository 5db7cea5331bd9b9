"""Parts of an answer that are no plain text: calls, media, the vendor's own blocks.

Of objects of very many parts texts are put together, and all else is counted, before it is read.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from trivium.conversation.arguments import compact
from trivium.conversation.calls import ToolCall
from trivium.conversation.items import Part
from trivium.conversation.parts import Native, VendorPart
from trivium.conversation.tool_pairs import minted
from trivium.wire.data_url import standard
from trivium.wire.generate import media
from trivium.wire.generate.answer_structs import AnswerChunk, AnswerPart, Called
from trivium.wire.generate.known_members import MODIFIERS, is_own
from trivium.wire.generate.views import broke
from trivium.wire.lenient import decoded, string

SHAPE: Final = "generate"

PARTS_APART: Final = 64
"""Parts of one object up to which each text is a piece of its own, as it came."""

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode
_decode_call: Final = msgspec.json.Decoder(Called).decode
_NO_ARGUMENTS: Final = (b"", b"null")  # no set, which would go over all of them


def made(members: dict[str, msgspec.Raw], seed: str) -> tuple[Part, str] | None:
    """The canonical part, and the arguments of a call; ``None`` for a part that says nothing.

    A call without an id gets one made from ``seed``. Raises ``Fault`` (UPSTREAM_BROKE) for a call
    without a name, or in pieces, which nobody asked for.
    """
    present = {name: raw for name, raw in members.items() if bytes(raw) != b"null"}
    if "functionCall" in present:
        return _call(present["functionCall"], seed)
    data = [name for name in present if name not in MODIFIERS]
    if not data:
        return None
    name = data[0]
    if bytes(present.get("thought", b"")) != b"true":
        if name == "inlineData":
            blob = decoded(_decode, present[name]) or {}
            mime, text = blob.get("mimeType"), blob.get("data")
            plain = standard(text) if isinstance(text, str) else None
            if isinstance(mime, str) and plain is not None:
                return media.inline(mime, plain), ""
        if name == "fileData":
            blob = decoded(_decode, present[name]) or {}
            if isinstance(blob.get("fileUri"), str):
                mime = blob.get("mimeType")
                return media.remote(blob["fileUri"], mime if isinstance(mime, str) else None), ""
    return msgspec.structs.replace(vendor(present, name), known=is_own(name)), ""


def beside(members: dict[str, msgspec.Raw]) -> dict[str, msgspec.Raw]:
    """What a part holds beside its empty text, as servers that print every member write a call;
    empty where that is no data.
    """
    rest = {name: raw for name, raw in members.items() if name != "text"}
    said = (name for name, raw in rest.items() if bytes(raw) != b"null")
    return {} if MODIFIERS.keys() >= set(said) else rest


def vendor(members: dict[str, msgspec.Raw], name: str) -> VendorPart:
    """A part that no other shape has, without its signature, which is an attachment."""
    kept = {key: raw for key, raw in members.items() if key != "thoughtSignature"}
    return VendorPart(
        native=Native(SHAPE, _encode(kept)), kind=name, text=_words(name, members[name])
    )


def search(queries: tuple[str, ...]) -> VendorPart:
    """What was searched for, which stands beside the parts and not among them."""
    data = _encode({"webSearchQueries": queries})
    return VendorPart(Native(SHAPE, data), "groundingMetadata", queries=queries)


def called(call: Called, seed: str) -> tuple[ToolCall, str]:
    """The canonical call, and its arguments. Raises ``Fault`` as ``made`` does."""
    name, id_ = string(call.name), string(call.id)
    args = bytes(call.args)
    try:
        arguments = "{}" if args in _NO_ARGUMENTS else compact(args)
    except (ValueError, RecursionError):
        raise broke() from None
    if not name or len(call.partialArgs) or bytes(call.willContinue) == b"true":
        raise broke()
    return ToolCall(id=id_ or minted(f"{seed}.{name}"), name=name), arguments


def _call(raw: msgspec.Raw, seed: str) -> tuple[ToolCall, str]:
    try:
        call = _decode_call(raw)
    except (ValueError, RecursionError):
        raise broke() from None
    return called(call, seed)


def _words(name: str, raw: msgspec.Raw) -> str:
    """What was run and what came of it, for shapes that have no such block."""
    found = decoded(_decode, raw) or {}
    text = found.get({"executableCode": "code", "codeExecutionResult": "output"}.get(name, ""))
    if not isinstance(text, str) or not text:
        return ""
    language = "python" if name == "executableCode" else ""
    return f"```{language}\n{text.rstrip()}\n```"


def joined(parts: list[AnswerPart | None]) -> Iterable[tuple[int, AnswerPart | None]]:
    """The parts of one object with their places; of very many, texts that go on are one."""
    if len(parts) <= PARTS_APART:
        return enumerate(parts)
    out: list[tuple[int, AnswerPart | None]] = []
    texts: list[str] = []
    last: AnswerPart | None = None
    for place, part in enumerate(parts):
        if part is not None and type(part.text) is str and part.text and not part.thoughtSignature:
            if last is not None and (last.thought is True) is (part.thought is True):
                texts.append(part.text)
                continue
            if last is not None:
                last.text = "".join(texts)
            last, texts = part, [part.text]
        elif last is not None:
            last.text = "".join(texts)
            last = None
        out.append((place, part))
    if last is not None:
        last.text = "".join(texts)
    return out


def others(body: AnswerChunk) -> int:
    """Parts of an object that are no texts."""
    return sum(
        sum(part is not None and type(part.text) is not str for part in candidate.content.parts)
        for candidate in body.candidates or ()
        if candidate is not None
        and candidate.content is not None
        and candidate.content.parts is not None
    )


def more_of(body: AnswerChunk, number: int, *, thinking: bool) -> str | None:
    """What an object adds to the open text of a candidate if it brings one more piece of it and
    nothing else.
    """
    candidates = body.candidates
    if candidates is None or len(candidates) != 1 or body.error:
        return None
    candidate = candidates[0]
    if (
        candidate is None
        or candidate.content is None
        or candidate.finishReason is not None
        or candidate.index != number
        or type(candidate.index) is not int
        or candidate.groundingMetadata
        or candidate.citationMetadata
        or candidate.logprobsResult
    ):
        return None
    parts = candidate.content.parts
    if parts is None or len(parts) != 1 or (part := parts[0]) is None:
        return None
    text = part.text
    if type(text) is not str or part.thoughtSignature or (part.thought is True) != thinking:
        return None
    return text or None
