"""What a caller can say, one thing at a time: requests with it and without it."""

from trivium.conversation.calls import CallKind, ToolCall, ToolResult
from trivium.conversation.items import Role, Turn
from trivium.conversation.losses import Rank
from trivium.conversation.opaque import Opaque, StateOrigin
from trivium.conversation.parts import (
    Audio,
    CacheMark,
    Citation,
    Document,
    Image,
    Inline,
    Native,
    Pieces,
    Reasoning,
    ReasoningForm,
    Refusal,
    Remote,
    SearchResult,
    Stored,
    Text,
    VendorPart,
    Video,
)
from trivium.conversation.request import (
    Effort,
    Extension,
    FormatKind,
    ReasoningSettings,
    ResponseFormat,
    Sampling,
    Thinking,
)
from trivium.conversation.tools import (
    ChoiceMode,
    CustomTool,
    FunctionTool,
    Grammar,
    ServerKind,
    ServerTool,
    ToolChoice,
    VendorTool,
)

ASK = Turn(Role.USER, (Text("hi"),))
SCHEMA = b'{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}'
LOOK = FunctionTool("look", "d", SCHEMA)
GIF = Inline("image/gif", "R0lG")
PDF = Inline("application/pdf", "JVBERg==")
WAV = Inline("audio/wav", "UklGRg==")
PLAIN = Inline("text/plain", "aGVsbG8=")
PLACE = b'{"city":"Oslo"}'
MARK = CacheMark("5m")
FOREIGN = (Opaque("signature", b"s", StateOrigin("messages", "elsewhere", "x")),)
OWN = Native("elsewhere", b'{"type":"x"}')


def says(*parts, role=Role.USER, **members):
    """A history of one more turn, answered if it is the assistant's."""
    turn = Turn(role, parts, **members)
    return {"turns": (ASK, turn, ASK) if role is Role.ASSISTANT else (turn,)}


def answers(*parts, **members):
    """A history in which the assistant said this."""
    return says(*parts, role=Role.ASSISTANT, **members)


def calls(result=None, **members):
    """A history with a call and its result."""
    call = ToolCall(**({"id": "c1", "name": "look", "arguments": '{"a":"b"}'} | members))
    found = result or ToolResult("c1", (Text("found"),), "look")
    turns = (ASK, Turn(Role.ASSISTANT, (call,)), Turn(Role.USER, (found,)))
    return {"turns": turns, "tools": (LOOK,)}


def results(*parts, **members):
    """A history with a call and this result."""
    return calls(ToolResult("c1", parts or (Text("found"),), **({"name": "look"} | members)))


def tools(*declared, **members):
    """Tools, and the choice among them."""
    return {"tools": declared, **members}


def search(**members):
    """A search the vendor runs."""
    return tools(ServerTool(ServerKind.WEB_SEARCH, OWN, "web_search", **members))


def choose(*names, mode=ChoiceMode.AUTO):
    """A choice between two tools."""
    return tools(LOOK, FunctionTool("other"), tool_choice=ToolChoice(mode, names))


def format_(kind, schema=None, **members):
    """A format of the answer."""
    return {"format": ResponseFormat(kind, schema, **members)}


def thinks(**members):
    """A wish about reasoning."""
    return {"reasoning": ReasoningSettings(**members)}


HIGH = thinks(effort=Effort.HIGH)
JSON = format_(FormatKind.SCHEMA, SCHEMA)
NOTHING = {}

# what is said: with it, without it
ROWS = {
    "Conversation.instructions": ({"instructions": (Text("be brief"),)}, NOTHING),
    "two instructions": (
        {"instructions": (Text("be brief"), Text("be kind"))}, {"instructions": (Text("be brief"),)},
    ),
    "Conversation.turns": ({"turns": (ASK, Turn(Role.ASSISTANT, (Text("yes"),)), ASK)}, NOTHING),
    "Turn.role": (says(Text("a"), role=Role.SYSTEM) | {"turns": (ASK, Turn(Role.SYSTEM, (Text("a"),)), ASK)}, {"turns": (ASK, Turn(Role.USER, (Text("a"),)), ASK)}),
    "Turn.parts": (says(Text("hi"), Text("there")), says(Text("hi"))),
    "Turn.name": (says(Text("hi"), name="bob"), says(Text("hi"))),
    "Turn.name of an assistant": (answers(Text("hi"), name="bob"), answers(Text("hi"))),
    "Turn.phase": (answers(Text("hi"), phase="commentary"), answers(Text("hi"))),
    "Text.text": (says(Text("ho")), says(Text("hi"))),
    "Text.opaque": (answers(Text("hi", opaque=FOREIGN)), answers(Text("hi"))),
    "Text.cache": (says(Text("hi", cache=MARK)), says(Text("hi"))),
    "Text.cache of instructions": (
        {"instructions": (Text("be brief", cache=MARK),)}, {"instructions": (Text("be brief"),)},
    ),
    "Text.cache of an assistant": (answers(Text("hi", cache=MARK)), answers(Text("hi"))),
    "CacheMark.ttl": (says(Text("hi", cache=CacheMark("1h"))), says(Text("hi"))),
    "CacheMark.ttl of half a day": (says(Text("hi", cache=CacheMark("12h"))), says(Text("hi"))),
    "Text.citations": (
        answers(Text("hi", (Citation("https://a.example", "t", 0, 2),))), answers(Text("hi")),
    ),
    "Image.source": (says(Text("hi"), Image(GIF)), says(Text("hi"))),
    "Image.source by address": (says(Text("hi"), Image(Remote("https://a.example/a.gif"))), says(Text("hi"))),
    "Image.source of a vendor": (says(Text("hi"), Image(Stored("chat", "file-1"))), says(Text("hi"))),
    "Image.detail": (says(Image(GIF, detail="low")), says(Image(GIF))),
    "Image.detail original": (says(Image(GIF, detail="original")), says(Image(GIF))),
    "Image.cache": (says(Image(GIF, cache=MARK)), says(Image(GIF))),
    "Image of an assistant": (answers(Text("hi"), Image(GIF)), answers(Text("hi"))),
    "Audio.source": (says(Text("hi"), Audio(WAV)), says(Text("hi"))),
    "Audio.source in another format": (says(Text("hi"), Audio(Inline("audio/flac", "Zkxh"))), says(Text("hi"))),
    "Audio.transcript": (answers(Text("hi"), Audio(None, "ho", "a1")), answers(Text("hi"))),
    "Audio.id": (answers(Text("hi"), Audio(None, "", "a1")), answers(Text("hi"))),
    "Audio.cache": (says(Audio(WAV, cache=MARK)), says(Audio(WAV))),
    "Video.source": (says(Text("hi"), Video(Inline("video/mp4", "AAAA"))), says(Text("hi"))),
    "Video.source by address": (says(Text("hi"), Video(Remote("https://youtu.be/a"))), says(Text("hi"))),
    "Video.metadata": (
        says(Video(Inline("video/mp4", "AAAA"), Native("generate", b'{"fps":1}'))),
        says(Video(Inline("video/mp4", "AAAA"))),
    ),
    "Document.source": (says(Text("hi"), Document(PDF)), says(Text("hi"))),
    "Document.source as text": (says(Text("hi"), Document(PLAIN)), says(Text("hi"))),
    "Document.source in pieces": (says(Text("hi"), Document(Pieces((Text("x"),)))), says(Text("hi"))),
    "Document.source by address": (says(Text("hi"), Document(Remote("https://a.example/a.pdf"))), says(Text("hi"))),
    "Document.source of a vendor": (says(Text("hi"), Document(Stored("messages", "f1"))), says(Text("hi"))),
    "Document.source of another type": (says(Text("hi"), Document(Inline("application/zip", "UEs="))), says(Text("hi"))),
    "Document.title": (says(Document(PDF, title="T9")), says(Document(PDF))),
    "Document.title of text": (says(Document(PLAIN, title="T9")), says(Document(PLAIN))),
    "Document.title by address": (
        says(Document(Remote("https://a.example/a.pdf"), title="T9")), says(Document(Remote("https://a.example/a.pdf"))),
    ),
    "Document.title of a vendor": (says(Document(Stored("messages", "f1"), title="T9")), says(Document(Stored("messages", "f1")))),
    "Document.title of a chat file": (says(Document(Stored("chat", "f1"), title="T9")), says(Document(Stored("chat", "f1")))),
    "Document.title of a generate file": (says(Document(Stored("generate", "f1"), title="T9")), says(Document(Stored("generate", "f1")))),
    "Document.context": (says(Document(PDF, context="C9")), says(Document(PDF))),
    "Document.context by address": (
        says(Document(Remote("https://a.example/a.pdf"), context="C9")), says(Document(Remote("https://a.example/a.pdf"))),
    ),
    "Document.context of a chat file": (says(Document(Stored("chat", "f1"), context="C9")), says(Document(Stored("chat", "f1")))),
    "Document.citable": (says(Document(PDF, citable=True)), says(Document(PDF))),
    "Document.cache": (says(Document(PDF, cache=MARK)), says(Document(PDF))),
    "Inline.name": (says(Document(Inline("application/pdf", "JVBERg==", "a.pdf"))), says(Document(PDF))),
    "Inline.name beside a title": (
        says(Document(Inline("application/pdf", "JVBERg==", "a.pdf"), title="T9")), says(Document(PDF, title="T9")),
    ),
    "Inline.name of text": (says(Document(Inline("text/plain", "aGVsbG8=", "a.txt"))), says(Document(PLAIN))),
    "Remote.name": (
        says(Document(Remote("https://a.example/a.pdf", name="a.pdf"))), says(Document(Remote("https://a.example/a.pdf"))),
    ),
    "SearchResult.texts": (says(Text("hi"), SearchResult("s", "t", (Text("x"),))), says(Text("hi"))),
    "SearchResult.source": (says(SearchResult("s", "t", (Text("x"),))), says(SearchResult("r", "t", (Text("x"),)))),
    "SearchResult.title": (says(SearchResult("s", "t", (Text("x"),))), says(SearchResult("s", "u", (Text("x"),)))),
    "SearchResult.citable": (
        says(SearchResult("s", "t", (Text("x"),), citable=True)), says(SearchResult("s", "t", (Text("x"),))),
    ),
    "SearchResult.cache": (says(SearchResult("s", "t", (Text("x"),), cache=MARK)), says(SearchResult("s", "t", (Text("x"),)))),
    "Refusal.text": (answers(Text("hi"), Refusal("no")), answers(Text("hi"))),
    "Reasoning.text": (answers(Reasoning("hm"), Text("hi")), answers(Text("hi"))),
    "Reasoning.form": (answers(Reasoning("hm", ReasoningForm.SUMMARY), Text("hi")), answers(Text("hi"))),
    "Reasoning.opaque": (answers(Reasoning("", ReasoningForm.HIDDEN, opaque=FOREIGN), Text("hi")), answers(Text("hi"))),
    "ToolCall.name": (calls(name="look2"), calls()),
    "ToolCall.id": (calls(ToolResult("c2", (Text("found"),), "look"), id="c2"), calls()),
    "ToolCall.arguments": (calls(arguments='{"a":"c"}'), calls()),
    "ToolCall.arguments that are broken": (calls(arguments='{"a'), calls()),
    "ToolCall.kind": (calls(kind=CallKind.CUSTOM), calls()),
    "ToolCall.namespace": (calls(namespace="n"), calls()),
    "ToolCall.native": (calls(native=OWN), calls()),
    "ToolCall.opaque": (calls(opaque=FOREIGN), calls()),
    "ToolCall.cache": (calls(cache=MARK), calls()),
    "ToolResult.parts": (results(Text("found"), Text("more")), results()),
    "ToolResult.parts: image": (results(Text("found"), Image(GIF)), results()),
    "ToolResult.parts: document": (results(Text("found"), Document(PDF)), results()),
    "ToolResult.parts: audio": (results(Text("found"), Audio(WAV)), results()),
    "ToolResult.parts: search": (results(Text("found"), SearchResult("s", "t", (Text("x"),))), results()),
    "ToolResult.parts: vendor": (results(Text("found"), VendorPart(OWN, "x")), results()),
    "ToolResult.error": (results(error=True), results()),
    "ToolResult.error without words": (results(Text(""), error=True), results(Text(""))),
    "ToolResult.error said already": (results(Text("Error: no"), error=True), results(Text("Error: no"))),
    "ToolResult.cache": (results(cache=MARK), results()),
    "ToolResult.parts: cache": (results(Text("found", cache=MARK)), results()),
    "VendorPart.native": (answers(Text("hi"), VendorPart(OWN, "x")), answers(Text("hi"))),
    "VendorPart.native of a user": (says(Text("hi"), VendorPart(OWN, "x")), says(Text("hi"))),
    "VendorPart.text": (answers(Text("hi"), VendorPart(OWN, "x", "ran")), answers(Text("hi"), VendorPart(OWN, "x"))),
    "VendorPart.kind": (answers(Text("hi"), VendorPart(OWN, "y")), answers(Text("hi"))),
    "Conversation.tools": (tools(LOOK), NOTHING),
    "FunctionTool.name": (tools(LOOK), tools(FunctionTool("loom", "d", SCHEMA))),
    "FunctionTool.description": (tools(FunctionTool("look", "e", SCHEMA)), tools(LOOK)),
    "FunctionTool.parameters": (tools(LOOK), tools(FunctionTool("look", "d"))),
    "FunctionTool.strict": (tools(FunctionTool("look", "d", SCHEMA, strict=True)), tools(LOOK)),
    "FunctionTool.namespace": (tools(FunctionTool("look", "d", SCHEMA, namespace="n")), tools(LOOK)),
    "FunctionTool.cache": (tools(FunctionTool("look", "d", SCHEMA, cache=MARK)), tools(LOOK)),
    "FunctionTool.native": (tools(FunctionTool("look", "d", SCHEMA, native=OWN)), tools(LOOK)),
    "CustomTool.name": (tools(CustomTool("patch")), tools(CustomTool("pitch"))),
    "CustomTool.description": (tools(CustomTool("patch", "d")), tools(CustomTool("patch"))),
    "CustomTool.grammar": (tools(CustomTool("patch", "d", Grammar("lark", "start: X9"))), tools(CustomTool("patch", "d"))),
    "CustomTool.namespace": (tools(CustomTool("patch", namespace="n")), tools(CustomTool("patch"))),
    "CustomTool.cache": (tools(CustomTool("patch", cache=MARK)), tools(CustomTool("patch"))),
    "ServerTool.kind": (search(), NOTHING),
    "ServerTool.kind: fetch": (tools(ServerTool(ServerKind.WEB_FETCH, OWN)), NOTHING),
    "ServerTool.kind: code": (tools(ServerTool(ServerKind.CODE, OWN)), NOTHING),
    "ServerTool.allowed_domains": (search(allowed_domains=("a.example",)), search()),
    "ServerTool.blocked_domains": (search(blocked_domains=("a.example",)), search()),
    "ServerTool.max_uses": (search(max_uses=3), search()),
    "ServerTool.user_location": (search(user_location=PLACE), search()),
    "ServerTool.context_size": (search(context_size="low"), search()),
    "ServerTool.cache": (search(cache=MARK), search()),
    "ServerTool.allowed_domains of fetch": (
        tools(ServerTool(ServerKind.WEB_FETCH, OWN, allowed_domains=("a.example",))), tools(ServerTool(ServerKind.WEB_FETCH, OWN)),
    ),
    "ServerTool.max_uses of code": (
        tools(ServerTool(ServerKind.CODE, OWN, max_uses=3)), tools(ServerTool(ServerKind.CODE, OWN)),
    ),
    "ServerTool.user_location of fetch": (
        tools(ServerTool(ServerKind.WEB_FETCH, OWN, user_location=PLACE)), tools(ServerTool(ServerKind.WEB_FETCH, OWN)),
    ),
    "VendorTool.kind": (tools(LOOK, VendorTool("mcp", OWN)), tools(LOOK)),
    "VendorTool.cache": (tools(LOOK, VendorTool("mcp", OWN, cache=MARK)), tools(LOOK)),
    "ToolChoice.mode": (tools(LOOK, tool_choice=ToolChoice(ChoiceMode.REQUIRED)), tools(LOOK)),
    "ToolChoice.mode: none": (tools(LOOK, tool_choice=ToolChoice(ChoiceMode.NONE)), tools(LOOK)),
    "ToolChoice.mode: validated": (
        tools(LOOK, tool_choice=ToolChoice(ChoiceMode.VALIDATED)), tools(LOOK, tool_choice=ToolChoice(ChoiceMode.AUTO)),
    ),
    "ToolChoice.names": (choose("look", mode=ChoiceMode.NAMED), choose()),
    "ToolChoice.names: subset": (choose("look"), choose()),
    "ToolChoice.names: forced subset": (choose("look", mode=ChoiceMode.REQUIRED), choose(mode=ChoiceMode.REQUIRED)),
    "ToolChoice.native": (
        tools(LOOK, tool_choice=ToolChoice(ChoiceMode.NAMED, native=OWN)), tools(LOOK),
    ),
    "ToolChoice.mode of a server's tool": (search() | {"tool_choice": ToolChoice(ChoiceMode.REQUIRED)}, search()),
    "Conversation.tool_choice": (tools(LOOK, tool_choice=ToolChoice(ChoiceMode.REQUIRED)), tools(LOOK)),
    "Conversation.parallel_calls": (tools(LOOK, parallel_calls=False), tools(LOOK)),
    "Conversation.sampling": ({"sampling": Sampling(temperature=0.5)}, NOTHING),
    "Sampling.temperature": ({"sampling": Sampling(temperature=0.5)}, NOTHING),
    "Sampling.temperature beyond the limit": (
        {"sampling": Sampling(temperature=1.7)}, {"sampling": Sampling(temperature=1.0)},
    ),
    "Sampling.top_p": ({"sampling": Sampling(top_p=0.5)}, NOTHING),
    "Sampling.top_p beside temperature": (
        {"sampling": Sampling(temperature=0.5, top_p=0.5)}, {"sampling": Sampling(temperature=0.5)},
    ),
    "Sampling.top_k": ({"sampling": Sampling(top_k=5)}, NOTHING),
    "Sampling.frequency_penalty": ({"sampling": Sampling(frequency_penalty=0.5)}, NOTHING),
    "Sampling.presence_penalty": ({"sampling": Sampling(presence_penalty=0.5)}, NOTHING),
    "Sampling.seed": ({"sampling": Sampling(seed=5)}, NOTHING),
    "Sampling.logit_bias": ({"sampling": Sampling(logit_bias=b'{"5":1}')}, NOTHING),
    "Conversation.output_max": ({"output_max": 777}, NOTHING),
    "a low output_max": ({"output_max": 5}, {"output_max": 16}),
    "Conversation.stop": ({"stop": ("END",)}, NOTHING),
    "six stops": ({"stop": tuple("abcdef")}, {"stop": tuple("abcde")}),
    "Conversation.reasoning": (HIGH, NOTHING),
    "ReasoningSettings.effort": (HIGH, NOTHING),
    "ReasoningSettings.effort minimal": (thinks(effort=Effort.MINIMAL), thinks(effort=Effort.LOW)),
    "ReasoningSettings.effort max": (thinks(effort=Effort.MAX), HIGH),
    "ReasoningSettings.effort none": (thinks(effort=Effort.NONE), NOTHING),
    "ReasoningSettings.budget": (thinks(switch=Thinking.ON, budget=3000), NOTHING),
    "ReasoningSettings.budget of another size": (thinks(switch=Thinking.ON, budget=2000), thinks(switch=Thinking.ON, budget=2048)),
    "ReasoningSettings.switch": (thinks(switch=Thinking.OFF), NOTHING),
    "ReasoningSettings.switch: on": (thinks(switch=Thinking.ON), NOTHING),
    "ReasoningSettings.switch: adaptive": (thinks(switch=Thinking.ADAPTIVE), NOTHING),
    "ReasoningSettings.switch: between tools": (thinks(switch=Thinking.BETWEEN_TOOLS), NOTHING),
    "ReasoningSettings.shown": (thinks(effort=Effort.HIGH, shown=True), HIGH),
    "ReasoningSettings.shown: hidden": (thinks(effort=Effort.HIGH, shown=False), HIGH),
    "ReasoningSettings.style": (
        thinks(effort=Effort.HIGH, shown=True, style="concise"), thinks(effort=Effort.HIGH, shown=True),
    ),
    "Conversation.format": (format_(FormatKind.JSON), NOTHING),
    "ResponseFormat.kind": (format_(FormatKind.JSON), NOTHING),
    "ResponseFormat.kind: enum": (format_(FormatKind.ENUM, b'{"type":"string","enum":["a"]}'), NOTHING),
    "ResponseFormat.schema": (JSON, NOTHING),
    "ResponseFormat.name": (format_(FormatKind.SCHEMA, SCHEMA, name="n9"), JSON),
    "ResponseFormat.description": (format_(FormatKind.SCHEMA, SCHEMA, description="d9"), JSON),
    "ResponseFormat.strict": (format_(FormatKind.SCHEMA, SCHEMA, strict=True), JSON),
    "Conversation.verbosity": ({"verbosity": "low"}, NOTHING),
    "Conversation.modalities": ({"modalities": ("text", "image")}, NOTHING),
    "Conversation.audio": (
        {"modalities": ("text", "audio"), "audio": b'{"voice":"x"}'}, {"modalities": ("text", "audio")},
    ),
    "Conversation.candidates": ({"candidates": 2}, NOTHING),
    "Conversation.logprobs": ({"logprobs": True}, NOTHING),
    "Conversation.top_logprobs": ({"logprobs": True, "top_logprobs": 3}, {"logprobs": True}),
    "Conversation.metadata": ({"metadata": (("a", "b"),)}, NOTHING),
    "Conversation.user": ({"user": "u9"}, NOTHING),
    "a long user": ({"user": "u" * 300}, {"user": "u" * 256}),
    "Conversation.safety_id": ({"safety_id": "s9"}, NOTHING),
    "safety_id beside user": ({"safety_id": "s9", "user": "u9"}, {"user": "u9"}),
    "Conversation.cache_key": ({"cache_key": "k9"}, NOTHING),
    "Conversation.cache": ({"cache": CacheMark("1h")}, NOTHING),
    "Conversation.service_tier": ({"service_tier": "flex"}, NOTHING),
    "tier auto": ({"service_tier": "priority"}, {"service_tier": "flex"}),
    "an unknown tier": ({"service_tier": "scale"}, NOTHING),
    "Conversation.store": ({"store": True}, NOTHING),
    "Conversation.stream": ({"stream": True}, NOTHING),
    "Conversation.extensions": ({"extensions": (Extension("odd", b"1", Rank.HINT),)}, NOTHING),
    "an extension in a list": ({"extensions": (Extension("a[0].odd", b"1", Rank.HINT),)}, NOTHING),
}  # fmt: skip
