"""What is read of a chat request's JSON, to check what the specification limits."""

import msgspec

from trivium.wire.request_structs import AllowedTools, Name


class Named(msgspec.Struct, gc=False):
    """A function or tool that is named."""

    name: Name


class FunctionCall(msgspec.Struct, gc=False):
    """The name of a function in a call of the history, and its arguments as text."""

    # any name: histories hold calls that other vendors made
    name: str
    arguments: str


class CustomCall(msgspec.Struct, gc=False):
    """A call of a free-text tool."""

    name: str
    input: str


class RequestCall(msgspec.Struct, gc=False):
    """One entry of ``tool_calls``."""

    id: str
    type: str
    function: FunctionCall | None = None
    custom: CustomCall | None = None


class Message(msgspec.Struct, gc=False):
    """A message, as far as it holds calls."""

    tool_calls: list[RequestCall] | None = None


class Tool(msgspec.Struct, gc=False):
    """One entry of ``tools``."""

    type: str | None = None
    function: Named | None = None
    custom: Named | None = None
    name: str | None = None
    """Of a flat declaration, as the responses and messages shapes have it."""


class Choice(msgspec.Struct, gc=False):
    """``tool_choice`` that is no word."""

    type: str | None = None
    function: Named | None = None
    custom: Named | None = None
    allowed_tools: AllowedTools | None = None


class Schema(msgspec.Struct, gc=False):
    """``response_format.json_schema``: only the name, whose length is limited."""

    name: Name | None = None


class Format(msgspec.Struct, gc=False):
    """``response_format``: only the schema, whose name is checked."""

    json_schema: Schema | None = None
