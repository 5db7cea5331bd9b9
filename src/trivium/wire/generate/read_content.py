"""Parts of a request's contents as canonical ones."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

import msgspec

from trivium.conversation.arguments import compact, unwrapped_arguments
from trivium.conversation.attachments import opened
from trivium.conversation.calls import ResultPart, ToolCall, ToolResult
from trivium.conversation.items import Part, Turn
from trivium.conversation.opaque import SLOT, Opaque, Open
from trivium.conversation.parts import Native, Reasoning, ReasoningForm, Text, Video
from trivium.wire.checks import missing, mistyped, wrong
from trivium.wire.data_url import standard
from trivium.wire.generate import media, protojson, read_answer_parts
from trivium.wire.generate.known_members import is_own
from trivium.wire.generate.members import PART
from trivium.wire.generate.write_answer_parts import OF_REASONING

_PLACEHOLDERS: Final = frozenset(
    {
        "skip_thought_signature_validator",
        "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",  # the same, as bytes in base64
        "context_engineering_is_the_way_to_go",
        "Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv",
    }
)
"""Nobody's signatures: the vendor's documented stand-ins for history from elsewhere."""

_DATA: Final = ("text", "inlineData", "fileData", "functionCall", "functionResponse")
_ABOUT: Final = (
    "mediaProcessing",
    "partMetadata",
    "speechMetadata",
    "documentMetadata",
    "audioMetadata",
)
_DETAILS: Final = {
    "MEDIA_RESOLUTION_LOW": "low",
    "MEDIA_RESOLUTION_MEDIUM": "auto",
    "MEDIA_RESOLUTION_HIGH": "high",
    "MEDIA_RESOLUTION_ULTRA_HIGH": "original",
}
_RESULTS: Final = ("output", "result", "content")
"""Members by which clients wrap a result: google-genai and LangChain, LangChain, AI SDK."""


def read(data: bytes, path: str, open_: Open, unknown: protojson.Unknown) -> tuple[Part, ...]:
    """The canonical parts of one part, in order: what reasoning of another shape left behind
    comes before the part that it rode on; ``placed`` finds it its own.
    """
    members = protojson.members(data, path)
    other: protojson.Unknown = []
    found = protojson.read(members, PART, path, other)
    given = [name for name in _DATA if name in found]
    vendors = [
        place.rpartition(".")[2] for place, _ in other if place.count(".") == path.count(".") + 1
    ]
    if not given and vendors:
        part: Part = read_answer_parts.vendor(members, vendors[0])
        if not is_own(protojson.camel(vendors[0])):
            part = msgspec.structs.replace(part, known=False)
    else:
        unknown.extend(other)
        if len(given) > 1:
            raise wrong(
                path, f"hold one of {' and '.join(f'`{name}`' for name in given)}, not both"
            )
        # nothing is an empty text: clients written in Go leave out what is empty
        part = _part(given[0] if given else "text", found, members, path)
        if len(found) > 1:
            unknown.extend(
                (f"{path}.{name}", bytes(members[name])) for name in _unsaid(found, part)
            )
    return _signed(part, found.get("thoughtSignature", ""), open_)


def _unsaid(found: dict[str, Any], part: Part) -> Iterator[str]:
    """What a part says about its data that no other shape has a word for."""
    yield from (name for name in _ABOUT if name in found)
    if "videoMetadata" in found and not isinstance(part, Video):
        yield "videoMetadata"
    if found.get("mediaResolution") and getattr(part, "detail", None) is None:
        yield "mediaResolution"


def _part(name: str, found: dict[str, Any], members: Mapping[str, msgspec.Raw], path: str) -> Part:
    thought = found.get("thought") is True
    if name == "text":
        text = found.get("text", "")
        return Reasoning(text=text, form=ReasoningForm.SUMMARY) if thought else Text(text=text)
    if name == "functionCall":
        return _call(found["functionCall"], f"{path}.functionCall")
    if name == "functionResponse":
        return _result(found["functionResponse"], f"{path}.functionResponse")
    if thought:
        # a picture the model drew while thinking is no picture of the conversation
        return read_answer_parts.vendor(
            dict(members), next(one for one in members if protojson.camel(one) == name)
        )
    part = _media(found, path)
    if isinstance(part, Video) and "videoMetadata" in found:
        return msgspec.structs.replace(
            part, metadata=Native(read_answer_parts.SHAPE, found["videoMetadata"])
        )
    return part


def _media(found: dict[str, Any], path: str) -> media.Media:
    level = found.get("mediaResolution", {}).get("level")
    detail = _DETAILS.get(level) if level else None
    blob = found.get("inlineData")
    if blob is not None:
        for name in ("mimeType", "data"):
            if not blob.get(name):
                raise missing(f"{path}.inlineData.{name}")
        return media.inline(blob["mimeType"], blob["data"], blob.get("displayName"), detail)
    file = found["fileData"]
    if not file.get("fileUri"):
        raise missing(f"{path}.fileData.fileUri")
    return media.remote(file["fileUri"], file.get("mimeType"), file.get("displayName"), detail)


def _call(call: dict[str, Any], path: str) -> ToolCall:
    if not call.get("name"):
        raise missing(f"{path}.name")
    return ToolCall(
        id=call.get("id", ""),
        name=call["name"],
        arguments=unwrapped_arguments(call.get("args", b"{}")),
    )


def _result(result: dict[str, Any], path: str) -> ToolResult:
    name = result.get("name", "")
    if not name and not result.get("id"):
        raise missing(f"{path}.name")
    response = result.get("response")
    text, error = ("", False) if response is None else _words(response, name)
    parts: list[ResultPart] = [Text(text=text)] if text else []
    for at, row in enumerate(result.get("parts", ())):
        place = f"{path}.parts[{at}]"
        if not row:
            raise missing(f"{place}.inlineData")
        parts.append(_media(row, place))
    return ToolResult(
        call_id=result.get("id", ""),
        parts=tuple(parts),
        name=name,
        error=error,
        structured=response,
    )


def _words(response: bytes, name: str) -> tuple[str, bool]:
    """A result as text, and whether it tells of a failure."""
    members = msgspec.json.decode(response)
    raws = msgspec.json.decode(response, type=dict[str, msgspec.Raw])
    names = set(members)
    if names == {"name", "content"} and members["name"] == name:
        names = {"content"}
    if len(names) == 1:
        (only,) = names
        value = members[only]
        if only in _RESULTS and isinstance(value, str):
            return value, False
        if only == "error" and value not in (None, False):
            return value if isinstance(value, str) else compact(bytes(raws[only])), True
        if only == "output":
            return compact(bytes(raws[only])), False
    return compact(response), False


def _signed(part: Part, signature: str, open_: Open) -> tuple[Part, ...]:
    if not signature or signature in _PLACEHOLDERS:
        return (part,)
    slot = standard(signature)
    opaque = (Opaque(SLOT, signature.encode()),) if slot is None else opened(slot, open_)
    if isinstance(part, Reasoning):
        return (msgspec.structs.replace(part, opaque=opaque),)
    left = tuple(one for one in opaque if one.kind in OF_REASONING)
    own = tuple(one for one in opaque if one.kind not in OF_REASONING)
    hidden = tuple(Reasoning(text="", form=ReasoningForm.HIDDEN, opaque=(one,)) for one in left)
    if isinstance(part, Text) and not part.text and not own and hidden:
        return hidden
    return (*hidden, msgspec.structs.replace(part, opaque=own) if own else part)


def settled(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The turns with reasoning's attachments in their places, those that follow each other in the
    same role as one: SDKs keep a streamed answer as they got it, each piece a content of its own,
    and what a thought left behind comes in a later one.
    """
    if not any(_is_hidden(part) for turn in turns for part in turn.parts):
        return turns
    out: list[Turn] = []
    for role, run in groupby(turns, attrgetter("role")):
        rows = list(run)
        parts = [part for row in rows for part in row.parts]
        if any(map(_is_hidden, parts)):
            rows = [Turn(role, _placed(parts))]
        out += rows
    return tuple(out)


def _is_hidden(part: Part) -> bool:
    return isinstance(part, Reasoning) and part.form is ReasoningForm.HIDDEN


def _placed(parts: list[Part]) -> tuple[Part, ...]:
    """The parts of one turn with reasoning's attachments back on it.

    They rode on the call or the last text after it. Each goes to the next thought that has none,
    if the caller kept the thoughts; else to where the thoughts stood, at the start of the run.
    """
    out: list[Part] = []
    run: list[Part] = []  # what was said since the last call
    begin = 0  # of the run: before it all is in its place
    looked = 0  # of the run: before it no thought waits for its attachment
    for part in parts:
        if not _is_hidden(part):
            run.append(part)
            if isinstance(part, ToolCall):
                out += run[begin:]
                run = []
                begin = looked = 0
            continue
        size = len(run)
        while looked < size and not _waits(run[looked]):
            looked += 1
        if looked == size:
            out.append(part)
            continue
        out += run[begin:looked]
        out.append(msgspec.structs.replace(run[looked], opaque=part.opaque))
        begin = looked = looked + 1
    return (*out, *run[begin:])


def _waits(part: Part) -> bool:
    """Whether a thought has no attachment."""
    return isinstance(part, Reasoning) and bool(part.text) and not part.opaque


def text_only(part: Part, path: str) -> Text:
    """A part of the system instruction. Raises INVALID_TYPE for anything but text."""
    if not isinstance(part, Text):
        raise mistyped(path, "hold `text`")
    return part
