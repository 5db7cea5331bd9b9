"""Amazon's own client beside the converse shape: what it would send, and what it hears in a stream.

Source: botocore 1.44's model of the service and its parser of event streams, read and run on
2026-11-28; what the service refuses besides: the references of Converse and of its content blocks.
"""

import base64
import binascii
import functools
import json
import re

from botocore.eventstream import EventStreamBuffer
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator

from end_to_end.features.refusing import Broken, must

CALL_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
DOCUMENT = re.compile(r"[a-zA-Z0-9\s\-()\[\]]{1,200}")
KEEP_ALIVE = "keepAlive"
"""An event that no model has, and that the client passes over."""


@functools.cache
def service():
    """The model of the service, as the vendor ships it."""
    return ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"))


def parameters(shape, value):
    """JSON as the parameters that a client would be given for it. Unknown members stay."""
    if shape.type_name == "structure" and not getattr(shape, "is_document_type", False):
        return {
            name: parameters(shape.members[name], inner) if name in shape.members else inner
            for name, inner in value.items()
        }
    if shape.type_name == "list":
        return [parameters(shape.member, inner) for inner in value]
    if shape.type_name == "map":
        return {name: parameters(shape.value, inner) for name, inner in value.items()}
    if shape.type_name == "blob":
        try:
            return base64.b64decode(value, validate=True)
        except (TypeError, binascii.Error) as exc:
            raise Broken(f"bytes that are no base64: {exc}") from None
    return value


def checked(operation, member, value):
    """Raise ``Broken`` for what the client's validator or the model does not know."""
    model = service().operation_model(operation)
    shape = model.input_shape if member == "input" else model.output_shape
    try:
        said = parameters(shape, value)
    except (AttributeError, TypeError) as exc:
        raise Broken(f"{operation}: {exc}") from None
    report = ParamValidator().validate(said, shape)
    must(not report.has_errors(), f"{operation}: {report.generate_report()}")


def asked(body, model="m"):
    """Raise ``Broken`` for a request that the client would not send or the service refuses."""
    checked("Converse", "input", {"modelId": model, **body})
    messages = body["messages"]
    must(messages and messages[0]["role"] == "user", "messages: the first is not the user's")
    config = body.get("inferenceConfig", {})
    must(0 <= config.get("temperature", 0) <= 1, "temperature: 0 to 1")
    thinking = body.get("additionalModelRequestFields", {}).get("thinking", {})
    if thinking.get("type") == "enabled":
        must(thinking["budget_tokens"] < config["maxTokens"], "thinking: a bad budget")
    tools = body.get("toolConfig", {}).get("tools", ())
    for tool in tools:
        if "toolSpec" in tool:
            must(NAME.fullmatch(tool["toolSpec"]["name"]), "tools: a bad name")
            schema = tool["toolSpec"]["inputSchema"]["json"]
            must(schema.get("type") == "object", "inputSchema: no object")
    waiting, before, marks = [], None, 0
    for at, message in enumerate(messages):
        where, role = f"messages[{at}]", message["role"]
        must(role != before, f"{where}: two turns of one role")
        must(message["content"], f"{where}: no content")
        marks += sum("cachePoint" in block for block in message["content"])
        calls = _blocks(message, waiting, where)
        must(not calls or tools, f"{where}: calls, and no tools are declared")
        waiting, before = calls, role
    must(not waiting, "messages: calls without results at the end")
    must(marks <= 4, "cachePoint: more than four")


def _blocks(message, waiting, where):
    """The calls of a message, whose results answer those that wait."""
    calls, given, kinds = [], [], set()
    for block in message["content"]:
        must(len(block) == 1, f"{where}: a block of {sorted(block)}")
        ((kind, inner),) = block.items()
        kinds.add(kind)
        if kind == "text":
            must(inner.strip(), f"{where}: blank text")
        elif kind == "toolUse":
            must(CALL_ID.fullmatch(inner["toolUseId"]), f"{where}: a bad id")
            must(isinstance(inner["input"], dict), f"{where}: input is no object")
            must(message["role"] == "assistant", f"{where}: a call of the user")
            calls.append(inner["toolUseId"])
        elif kind == "toolResult":
            must(message["role"] == "user", f"{where}: a result of the assistant")
            given.append(inner["toolUseId"])
        elif kind == "document":
            must(DOCUMENT.fullmatch(inner["name"]), f"{where}: a bad name of a document")
        elif kind == "reasoningContent":
            must(message["role"] == "assistant", f"{where}: reasoning of the user")
    must("document" not in kinds or "text" in kinds, f"{where}: a document without words")
    must(sorted(waiting) == sorted(given), f"{where}: calls {waiting} have results {given}")
    return calls


def events(wire):
    """(kind, members) of a stream's events, its checksums checked; raises for what is none."""
    buffer = EventStreamBuffer()
    buffer.add_data(wire)
    out = []
    for message in buffer:
        headers = message.headers
        must(headers.get(":message-type") == "event", f"in a good stream: {headers}")
        out.append((headers[":event-type"], json.loads(message.payload)))
    must(not buffer._data, "bytes are left of no event")
    return out


def heard(wire):
    """Raise ``Broken`` unless this is one whole stream, ended once, of events of the model."""
    known = service().operation_model("ConverseStream").output_shape.members["stream"].members
    told = [row for row in events(wire) if row[0] != KEEP_ALIVE]
    kinds = [kind for kind, _ in told]
    must(kinds[:1] == ["messageStart"] and kinds.count("messageStart") == 1, "the start")
    must(kinds[-2:] == ["messageStop", "metadata"], f"it ends with {kinds[-2:]}")
    must(kinds.count("messageStop") == kinds.count("metadata") == 1, "it ends twice")
    open_, count, text = None, 0, ""
    for kind, members in told:
        must(kind in known, f"an event {kind}")
        report = ParamValidator().validate(parameters(known[kind], members), known[kind])
        must(not report.has_errors(), f"{kind}: {report.generate_report()}")
        if not kind.startswith("contentBlock"):
            must(open_ is None, f"{kind} in a block")
            continue
        must(members["contentBlockIndex"] == count, f"{kind} of another block than {count}")
        if kind == "contentBlockStart":
            must(open_ is None, "two blocks are open")
            ((open_, _),), text = members["start"].items(), ""
        elif kind == "contentBlockDelta":
            ((said, inner),) = members["delta"].items()
            alike = "text" if said == "citation" else said
            must(open_ in (None, alike), f"{said} in a block of {open_}")
            open_ = alike
            text += inner["input"] if said == "toolUse" else ""
        else:
            must(open_ is not None, "a block ends that was never begun")
            if open_ == "toolUse" and _whole(told):
                must(isinstance(json.loads(text or "{}"), dict), "a call's input is no object")
            open_, count = None, count + 1


def _whole(told):
    """Whether the limit did not fall into a call, of which SDKs keep what there is."""
    return next(row for kind, row in told if kind == "messageStop")["stopReason"] != "max_tokens"
