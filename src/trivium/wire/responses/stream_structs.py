"""What is read of the JSON of a responses stream: to translate it, and to watch it."""

from typing import Annotated, Final, Literal

import msgspec

from trivium.wire.answer_structs import Counts

_ABSENT: Final = msgspec.Raw()


class StreamEvent(msgspec.Struct, gc=False):
    """One event; of each kind only what it is read for."""

    type: str | None = None
    output_index: int | None = None
    item_id: str | None = None
    content_index: int = 0
    summary_index: int = 0
    delta: str = ""
    logprobs: msgspec.Raw = _ABSENT
    text: str = ""
    refusal: str = ""
    arguments: str = ""
    input: str = ""
    message: str | None = None
    code: str | None = None
    param: str | None = None
    part: msgspec.Raw = _ABSENT
    annotation: msgspec.Raw = _ABSENT
    item: msgspec.Raw = _ABSENT
    response: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT


class Strict(StreamEvent, gc=False, forbid_unknown_fields=True):
    """An event of which nothing is passed over but what says nothing."""

    sequence_number: msgspec.Raw = _ABSENT
    annotation_index: msgspec.Raw = _ABSENT
    obfuscation: msgspec.Raw = _ABSENT
    name: msgspec.Raw = _ABSENT


class TextDelta(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A delta of text, nine events of ten."""

    delta: Annotated[str, msgspec.Meta(min_length=1)]
    output_index: int
    content_index: int
    type: Literal["response.output_text.delta"]
    item_id: str | None = None
    sequence_number: int | None = None
    obfuscation: str | None = None
    logprobs: Annotated[list[msgspec.Raw], msgspec.Meta(max_length=0)] | None = None


class WatchedResponse(msgspec.Struct, gc=False):
    """The response in an event that is watched."""

    usage: Counts | None = None
    error: msgspec.Raw = _ABSENT


class WatchedEvent(msgspec.Struct, gc=False):
    """An event that is watched, as the protocol has it."""

    type: str | None = None
    response: WatchedResponse | None = None
    error: msgspec.Raw = _ABSENT


class LooseResponse(msgspec.Struct, gc=False):
    """A response of which any member may be anything."""

    usage: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT


class LooseEvent(msgspec.Struct, gc=False):
    """An event of which usage, or the response, may be anything."""

    type: str | None = None
    response: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT


class Numbered(msgspec.Struct, gc=False):
    """Of an event only its number."""

    sequence_number: int | None = None
