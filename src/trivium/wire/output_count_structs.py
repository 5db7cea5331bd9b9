"""What is read of an answer to count what was written, where not all of it can be decoded."""

from typing import Any

import msgspec


class WrittenMembers(msgspec.Struct, gc=False):
    """The members that tell what was written: a counter beside them may be beyond any number."""

    type: Any = None
    choices: Any = None
    delta: Any = None
    content_block: Any = None
    content: Any = None
    candidates: Any = None
    item: Any = None
    output: Any = None
    text: Any = None
    arguments: Any = None
    refusal: Any = None
    input: Any = None
    code: Any = None


class WrittenAnswer(msgspec.Struct, gc=False):
    """An event with an answer in it."""

    response: WrittenMembers | None = None
