"""What is read of the responses shape's JSON to tell stored responses and their items apart."""

from typing import Any

import msgspec


class Skim(msgspec.Struct, gc=False):
    """The members of an item that tell what it is."""

    type: Any = None
    id: Any = None
    role: Any = None
    status: Any = None
    encrypted_content: msgspec.Raw = msgspec.Raw()


class Response(msgspec.Struct, gc=False):
    """A response object: its id, its status, and its output unread."""

    id: str
    status: str = "completed"
    output: list[msgspec.Raw] = []


class Event(msgspec.Struct, gc=False):
    """An event of a stream."""

    type: str | None = None
    response: msgspec.Raw = msgspec.Raw()
