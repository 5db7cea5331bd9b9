"""What is read of a response's JSON: the whole, its items and what stands in them."""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from trivium.wire.responses.known_members import ECHOED

_ABSENT: Final = msgspec.Raw()


class Annotation(msgspec.Struct, gc=False):
    """A citation of an output text."""

    type: str | None = None
    url: str | None = None
    title: str | None = None
    filename: str | None = None
    start_index: int | None = None
    end_index: int | None = None


class Piece(msgspec.Struct, gc=False):
    """A content part or a section of a summary."""

    type: str | None = None
    text: str | None = None
    refusal: str | None = None
    annotations: msgspec.Raw = _ABSENT
    logprobs: msgspec.Raw = _ABSENT


class Action(msgspec.Struct, gc=False):
    """What a vendor's own tool did."""

    query: str | None = None
    queries: list[str] | None = None
    url: str | None = None


class AnswerItem(msgspec.Struct, gc=False):
    """One output item; only what some kind of item is read for."""

    type: str | None = None
    id: str | None = None
    content: list[Piece] | None = None
    summary: list[Piece] | None = None
    encrypted_content: str | None = None
    call_id: str | None = None
    name: str | None = None
    namespace: str | None = None
    arguments: str | None = None
    input: str | None = None
    result: str | None = None
    output_format: str | None = None
    code: str | None = None
    action: Action | None = None


class IncompleteReason(msgspec.Struct, gc=False):
    """Why an answer is incomplete."""

    reason: str | None = None


class ResponseObject(msgspec.Struct, gc=False):
    """A response object, whole or in an event."""

    id: str | None = None
    model: str | None = None
    status: str | None = None
    error: msgspec.Raw = _ABSENT
    incomplete_details: IncompleteReason | None = None
    output: list[msgspec.Raw] | None = None
    usage: msgspec.Raw = _ABSENT
    service_tier: str | None = None


_Nothing: TypeAlias = Annotated[list[msgspec.Raw], msgspec.Meta(max_length=0)] | None


class _Words(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    type: Literal["output_text"]
    text: str
    annotations: _Nothing = None
    logprobs: _Nothing = None
    refusal: None = None


class _Message(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    type: Literal["message"]
    content: tuple[_Words]
    id: str | None = None
    role: str | None = None
    status: str | None = None
    phase: None = None


class Plain(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A response of one text and nothing that anybody would have to be told of: most are."""

    status: Literal["completed"]
    output: tuple[_Message]
    id: str
    model: str
    usage: msgspec.Raw = _ABSENT
    error: None = None
    incomplete_details: None = None
    service_tier: str | None = None
    object: str | None = None
    created_at: float | None = None
    completed_at: float | None = None
    output_text: msgspec.Raw = _ABSENT


Echoing: Final = msgspec.defstruct(
    "Echoing",
    [(name, msgspec.Raw, _ABSENT) for name in ECHOED],
    bases=(Plain,),
    gc=False,
    forbid_unknown_fields=True,
)
"""The same, with what the request said, said again."""


class Count(msgspec.Struct, gc=False):
    """A count of input tokens."""

    input_tokens: object = None
    error: msgspec.Raw = _ABSENT
