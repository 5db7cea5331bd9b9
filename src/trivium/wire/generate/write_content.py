"""The history as ``contents``: roles in turn, results together, signatures where they were.

Every content is made of its own turns alone, so a history that grows by an answer and a turn
begins with the bytes it had. All results of a turn stand in one content, in the order of the calls
(the vendor counts them); what the user says besides follows in a content of its own, since models
have misread mixed ones.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from trivium.conversation.arguments import compact
from trivium.conversation.attachments import belonging, first
from trivium.conversation.calls import ToolCall, ToolResult
from trivium.conversation.fit import FILLER
from trivium.conversation.image_info import NO_DRAWING, is_drawing, typed
from trivium.conversation.items import INSTRUCTING, Part, Role, Turn
from trivium.conversation.losses import Mend, Rank, Report
from trivium.conversation.member_table import DEMOTED, Concept, citable, member
from trivium.conversation.opaque import THOUGHT_SIGNATURE
from trivium.conversation.parts import (
    Audio,
    Document,
    Image,
    Inline,
    Pieces,
    Reasoning,
    Refusal,
    Remote,
    SearchResult,
    Stored,
    Text,
    VendorPart,
    Video,
)
from trivium.conversation.target import Input, ReasoningBack
from trivium.conversation.turns import calls
from trivium.conversation.writer_base import WriterBase
from trivium.wire.generate import media, write_answer_parts
from trivium.wire.generate.read_answer_parts import SHAPE

_ASSISTANT: Final = Role.ASSISTANT

Row = dict[str, Any]
TAGGED: Final = "<system>\n{}\n</system>"
"""Instructions in the middle: the shape has a place for them only at the start."""
_TUBE: Final = ("https://www.youtube.com/", "https://youtu.be/", "https://m.youtube.com/")


def contents(turns: tuple[Turn, ...], skipped: int, writing: WriterBase) -> list[Row]:
    """The history behind the leading instructions, which are ``skipped`` turns."""
    names = {call.id: writing.name(call.name, call.namespace) for call in calls(turns) if call.id}
    out: list[Row] = []
    for at, turn in enumerate(turns, skipped):
        if turn.name is not None:
            writing.lacks(Concept.PARTICIPANT, "the generate shape names no participants")
        role = turn.role
        if text := _only(turn):
            _add(out, "model" if role is _ASSISTANT else "user", [{"text": text}])
            continue
        rows = [
            (isinstance(part, ToolResult), row)
            for part in turn.parts
            for row in _rows(_spoken(part, role), f"turns[{at}]", names, writing)
        ]
        if rows and role in INSTRUCTING:
            writing.rewords(Concept.HISTORY, DEMOTED)
        if not rows:
            if role is _ASSISTANT and at == skipped + len(turns) - 1:
                continue
            # left out, it would put together what stands before and after it
            writing.report.repair(Mend.EMPTY_TURN, f"turns[{at}]")
            rows = [(False, {"text": FILLER})]
        if role is _ASSISTANT:
            _add(out, "model", [row for _, row in rows])
        else:
            _add(out, "user", [row for result, row in rows if result], results=True)
            _add(out, "user", [row for result, row in rows if not result])
    if not out or out[0]["role"] == "model":
        # the vendor wants a user first, and takes one who says nothing
        out.insert(0, {"role": "user", "parts": [{"text": ""}]})
    if writing.facts.placeholder_signature is not None:
        _sign(out, writing.facts.placeholder_signature, writing.report)
    return out


def _only(turn: Turn) -> str:
    """The words of a turn that is one text, as most are; empty for any other, and for one that
    instructs.
    """
    if len(turn.parts) == 1 and turn.role not in INSTRUCTING:
        part = turn.parts[0]
        if type(part) is Text and not part.opaque and not part.citations:
            return part.text
    return ""


def _add(out: list[Row], role: str, rows: list[Row], *, results: bool = False) -> None:
    if not rows:
        return
    last = out[-1] if out and out[-1]["role"] == role else None
    if last is not None and ("functionResponse" in last["parts"][0]) is results:
        last["parts"] += rows
    else:
        out.append({"role": role, "parts": rows})


def _spoken(part: Part, role: Role) -> Part:
    if role in INSTRUCTING and isinstance(part, Text) and part.text.strip():
        return Text(text=TAGGED.format(part.text))
    return part


def _sign(contents: list[Row], placeholder: str, report: Report) -> None:
    """The documented placeholder on a step's first call that has no signature of the target.

    On every step of the history, not only the current one: the bytes of earlier steps must stay.
    """
    for content in contents:
        if content["role"] != "model":
            continue
        for row in content["parts"]:
            if "functionCall" in row:
                if "thoughtSignature" not in row:
                    row["thoughtSignature"] = placeholder
                    call = row["functionCall"]
                    report.repair(Mend.FOREIGN_SIGNATURE, call.get("id") or call["name"])
                break


def _rows(part: Part, where: str, names: Mapping[str, str], writing: WriterBase) -> list[Row]:
    if type(part) is Text and not part.opaque and not part.citations:  # as most are
        return [{"text": part.text}] if part.text else []
    if isinstance(part, ToolResult):
        return [_result(part, names, writing)]
    if isinstance(part, ToolCall):
        row, whole = write_answer_parts.call(part, part.arguments)
        row["functionCall"]["name"] = writing.name(part.name, part.namespace)
        writing.own(part.native, "", Concept.HISTORY)
        if not whole:
            writing.report.repair(Mend.ARGUMENTS, part.id or part.name)
        rows = [row]
    elif isinstance(part, Reasoning):
        rows = _thought(part, writing)
    else:
        rows = plain(part, where, writing)
    signature = first(belonging(part.opaque, writing.facts.origin), THOUGHT_SIGNATURE)
    if signature is not None:
        if not rows:
            rows = [{"text": ""}]
        rows[-1]["thoughtSignature"] = signature.data.decode()
    return rows


def _thought(part: Reasoning, writing: WriterBase) -> list[Row]:
    """Thoughts go back only with the target's own signature."""
    row: Row = {"text": part.text, "thought": True}
    back = writing.facts.reasoning_back
    if first(belonging(part.opaque, writing.facts.origin), THOUGHT_SIGNATURE) is not None:
        return [row]
    if back is ReasoningBack.TEXT and part.text:
        return [row]
    if part.text and writing.shape != SHAPE:
        writing.lacks(Concept.REASONING_STATE, "another model's reasoning, or without a signature")
    return []


def plain(part: Part, where: str, writing: WriterBase) -> list[Row]:
    """Text, media and blocks, in a turn or in a result."""
    if isinstance(part, Text | Refusal):
        if isinstance(part, Text) and part.citations:
            writing.lacks(Concept.CITATION, "the generate shape has no citations in a history")
        return _texts([part.text])
    if isinstance(part, SearchResult):
        if part.citable:
            where = citable(writing.shape)
            writing.lacks(Concept.CITATION, "the generate shape cannot ask for citations", where)
        return _texts([_header(part.title, part.source), *(text.text for text in part.texts)])
    if isinstance(part, VendorPart):
        return _vendor(part, writing)
    if isinstance(part, Document):
        return _document(part, where, writing)
    if isinstance(part, Image | Audio | Video):
        return _media(part, writing)
    return []


def _vendor(part: VendorPart, writing: WriterBase) -> list[Row]:
    if part.native.shape == SHAPE:
        return [msgspec.json.decode(part.native.data, type=dict[str, Any])]
    said = member(Concept.VENDOR_PART, writing.shape)
    writing.report.drop(Rank.HINT, said, f"a block of type {part.kind} is another vendor's own")
    return _texts([part.text])


def _media(part: Image | Audio | Video, writing: WriterBase) -> list[Row]:
    concept, wanted = {
        Image: (Concept.IMAGE, Input.IMAGE),
        Audio: (Concept.AUDIO_INPUT, Input.AUDIO),
        Video: (Concept.VIDEO_INPUT, Input.VIDEO),
    }[type(part)]
    source = part.source
    if source is None:
        transcript = part.transcript if isinstance(part, Audio) else ""
        if not transcript:
            writing.lacks(concept, "only its maker has this audio")
        return _texts([transcript])
    if wanted not in writing.facts.inputs:
        writing.lacks(concept, f"this model takes no {wanted.value}")
    if (
        isinstance(source, Remote)
        and writing.shape != SHAPE
        and not source.url.startswith(_TUBE)
        and Input.IMAGE_URL not in writing.facts.inputs
    ):
        writing.lacks(concept, "this model takes no URLs, only bytes")
    if isinstance(part, Image) and isinstance(source, Inline) and writing.shape != SHAPE:
        source = typed(source)
        if is_drawing(source):
            writing.lacks(concept, NO_DRAWING)
    row = _source(source, writing)
    if isinstance(part, Video) and part.metadata is not None:
        row["videoMetadata"] = msgspec.Raw(part.metadata.data)
    return [row]


def _document(part: Document, where: str, writing: WriterBase) -> list[Row]:
    source = part.source
    name = None if isinstance(source, Stored | Pieces) else source.name
    title = _header(name, None if part.title == name else part.title)
    if title:
        writing.changes(Concept.DOCUMENT_TITLE, "said in words")
    header = _texts([_header(title, part.context)])
    if part.citable:
        where = citable(writing.shape)
        writing.lacks(Concept.CITATION, "the generate shape cannot ask for citations", where)
    if isinstance(source, Pieces):
        return header + [row for one in source.parts for row in plain(one, where, writing)]
    if Input.DOCUMENT not in writing.facts.inputs:
        writing.lacks(Concept.DOCUMENT, "this model takes no documents")
    if (
        isinstance(source, Remote)
        and writing.shape != SHAPE
        and Input.DOCUMENT_URL not in writing.facts.inputs
    ):
        writing.lacks(Concept.DOCUMENT_URL, "this model takes no document URLs, only bytes")
    return [*header, _source(source, writing)]


def _source(source: Inline | Remote | Stored, writing: WriterBase) -> Row:
    if isinstance(source, Stored) and source.shape != SHAPE:
        writing.lacks(
            Concept.FILE_ID, "a file uploaded to another vendor is unknown here; send its bytes"
        )
    return media.member(source)


def _result(part: ToolResult, names: Mapping[str, str], writing: WriterBase) -> Row:
    texts: list[str] = []
    attached: list[Row] = []
    for inner in part.parts:
        for row in plain(inner, "functionResponse", writing):
            if row.keys() == {"text"}:
                texts.append(row["text"])
                continue
            if Input.RESULT_MEDIA not in writing.facts.inputs:
                writing.lacks(Concept.IMAGE, "this model takes no media in tool results")
            attached.append(row)
    response: Any
    if part.structured is not None and writing.shape == SHAPE:
        response = msgspec.Raw(compact(part.structured).encode())
    else:
        response = {"error" if part.error else "output": "\n".join(texts)}
    member: Row = {"id": part.call_id} if part.call_id else {}
    member["name"] = names.get(part.call_id) or writing.name(part.name)
    member["response"] = response
    if attached:
        member["parts"] = attached
    return {"functionResponse": member}


def _texts(texts: Iterable[str]) -> list[Row]:
    return [{"text": text} for text in texts if text]


def _header(*words: str | None) -> str:
    return "\n".join(word for word in words if word)
