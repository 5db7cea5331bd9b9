"""What is read of a message's JSON: the whole, its blocks and what stands in them."""

from typing import Any, Final, Literal

import msgspec

_ABSENT: Final = msgspec.Raw()


class AnswerCitation(msgspec.Struct, gc=False):
    """A citation of a text block; a request's history has the same."""

    type: Any = None
    url: Any = None
    title: Any = None
    source: Any = None
    document_title: Any = None
    cited_text: Any = None
    encrypted_index: Any = None


class AnswerBlock(msgspec.Struct, gc=False):
    """Any block of an answer; ``None`` and empty where it has no such member."""

    type: Any = None
    text: Any = None
    thinking: Any = None
    signature: Any = None
    data: Any = None
    id: Any = None
    name: Any = None
    input: msgspec.Raw = _ABSENT
    caller: msgspec.Raw = _ABSENT
    toolset_name: msgspec.Raw = _ABSENT
    citations: msgspec.Raw = _ABSENT


class StopDetails(msgspec.Struct, gc=False):
    """``stop_details`` as they come."""

    category: Any = None
    explanation: Any = None


class UncountedMessage(msgspec.Struct, gc=False):
    """A whole answer, but for counters beyond any number."""

    id: Any = None
    model: Any = None
    content: list[msgspec.Raw] | None = None
    stop_reason: Any = None
    stop_sequence: Any = None
    stop_details: StopDetails | None = None
    error: msgspec.Raw = _ABSENT


class AnswerMessage(UncountedMessage, gc=False):
    """The members that are read of a whole message."""

    usage: Any = None


class _Words(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    type: Literal["text"]
    text: str
    citations: None = None


class Plain(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A message of one text and nothing that anybody would have to be told of: most are."""

    content: tuple[_Words]
    id: str
    model: str
    stop_reason: str | None
    usage: dict[str, Any]
    type: str | None = None
    role: str | None = None
    stop_sequence: str | None = None
    stop_details: None = None
    error: None = None
    container: None = None
    context_management: None = None


class UncountedAnswer(msgspec.Struct, gc=False):
    """A whole answer that goes by unchanged, but for counters beyond any number."""

    content: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT


class AnswerBody(UncountedAnswer, gc=False):
    """A whole answer, or a count of tokens, that goes by unchanged."""

    usage: Any = None
    input_tokens: Any = None
