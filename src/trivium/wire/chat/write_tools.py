"""Tools, and the choice among them, as the chat shape declares them.

Source: OpenAI's API reference, chat completions, ``tools`` and ``tool_choice``, read 2026-11-21.
"""

from typing import Any, Final

import msgspec

from trivium.conversation.custom_tools import CLOSED_PARAMETERS, in_words
from trivium.conversation.losses import Report
from trivium.conversation.member_table import Concept
from trivium.conversation.request import Conversation
from trivium.conversation.target import TargetFacts
from trivium.conversation.tools import (
    ChoiceMode,
    CustomTool,
    FunctionTool,
    ServerKind,
    ServerTool,
    Tool,
    ToolChoice,
    VendorTool,
)
from trivium.conversation.writer_base import WriterBase

_decode: Final = msgspec.json.Decoder().decode


class ToolWriter(WriterBase):
    """Writes the tools of one request."""

    __slots__ = ("_customs", "_spaces")

    def __init__(self, conversation: Conversation, facts: TargetFacts, report: Report) -> None:
        super().__init__(conversation, facts, report)
        self._spaces = {
            tool.name: tool.namespace
            for tool in conversation.tools
            if isinstance(tool, FunctionTool | CustomTool)
        }
        self._customs = {
            tool.name
            for tool in conversation.tools
            if isinstance(tool, CustomTool) and facts.custom_tools
        }

    def write(self, conversation: Conversation, body: dict[str, Any]) -> None:
        """Put tools and what belongs to them into the body."""
        tools: list[Any] = []
        for tool in conversation.tools:
            self._tool(tool, tools, body)
        if not tools:
            # the choice and the switch are refused where there are no tools
            return
        body["tools"] = tools
        if conversation.tool_choice is not None:
            body["tool_choice"] = self._choice(conversation.tool_choice)
        if conversation.parallel_calls is not None and self.takes(Concept.PARALLEL):
            body["parallel_tool_calls"] = conversation.parallel_calls

    def _tool(self, tool: Tool, out: list[Any], body: dict[str, Any]) -> None:
        if isinstance(tool, FunctionTool):
            out.append({"type": "function", "function": self._function(tool)})
        elif isinstance(tool, CustomTool):
            out.append(self._custom(tool))
        elif isinstance(tool, ServerTool):
            self._server(tool, body)
        else:
            self._vendor(tool, out)
        if tool.cache is not None:
            self.lacks(Concept.CACHE_MARK, "tools of the chat shape take no mark")

    def _function(self, tool: FunctionTool) -> dict[str, Any]:
        function: dict[str, Any] = {"name": self.target_name(tool.name, tool.namespace)}
        if tool.description is not None:
            function["description"] = tool.description
        if tool.parameters is not None:
            function["parameters"] = msgspec.Raw(tool.parameters)
        if tool.strict is not None and self.takes(Concept.STRICT_TOOL):
            function["strict"] = tool.strict
        self.own(tool.native, "", Concept.TOOLS)
        return function

    def _custom(self, tool: CustomTool) -> dict[str, Any]:
        name = self.target_name(tool.name, tool.namespace)
        if self.facts.custom_tools:
            custom: dict[str, Any] = {"name": name}
            if tool.description is not None:
                custom["description"] = tool.description
            if tool.grammar is not None:
                grammar = {"syntax": tool.grammar.syntax, "definition": tool.grammar.definition}
                custom["format"] = {"type": "grammar", "grammar": grammar}
            return {"type": "custom", "custom": custom}
        function: dict[str, Any] = {"name": name}
        if words := in_words(tool, self.report):
            function["description"] = words
        function["parameters"] = CLOSED_PARAMETERS
        return {"type": "function", "function": function}

    def _server(self, tool: ServerTool, body: dict[str, Any]) -> None:
        if tool.kind not in self.facts.server_tools or tool.kind is not ServerKind.WEB_SEARCH:
            self.lacks(Concept.VENDOR_TOOL, f"it has no {tool.kind.value} tool of its own")
        if tool.allowed_domains or tool.blocked_domains or tool.max_uses is not None:
            self.lacks(Concept.VENDOR_TOOL, "its search cannot be restricted")
        options: dict[str, Any] = {}
        if tool.context_size is not None:
            options["search_context_size"] = tool.context_size
        if tool.user_location is not None:
            place = _decode(tool.user_location)
            options["user_location"] = {"type": "approximate", "approximate": place}
        body["web_search_options"] = options

    def _vendor(self, tool: VendorTool, out: list[Any]) -> None:
        if tool.native.shape == "chat":
            out.append(msgspec.Raw(tool.native.data))
        else:
            self.lacks(Concept.VENDOR_TOOL, f"{tool.kind} is known to its own shape only")

    def _choice(self, choice: ToolChoice) -> Any:
        if choice.native is not None:
            if choice.native.shape == "chat":
                return msgspec.Raw(choice.native.data)
            self.lacks(Concept.TOOL_CHOICE, "it names a tool of another shape")
        mode = choice.mode
        if mode is ChoiceMode.NONE:
            return "none"
        if mode is ChoiceMode.VALIDATED:
            self.rewords(Concept.TOOL_CHOICE, "calls are checked where the tool is strict")
        forced = mode in (ChoiceMode.REQUIRED, ChoiceMode.NAMED)
        if forced and not self.facts.forced_calls:
            self.lacks(Concept.TOOL_CHOICE, "calls cannot be forced on this model")
        if mode is ChoiceMode.NAMED:
            return self._named(choice.names[0])
        word = "required" if forced else "auto"
        if not choice.names:
            return word
        allowed = {"mode": word, "tools": [self._named(name) for name in choice.names]}
        return {"type": "allowed_tools", "allowed_tools": allowed}

    def _named(self, name: str) -> dict[str, Any]:
        kind = "custom" if name in self._customs else "function"
        return {"type": kind, kind: {"name": self.target_name(name, self._spaces.get(name))}}
