"""Requests made from the vendors' own types: each word of them arrives, is reported or refused.

Every member of every type of request that the official SDKs declare, in turn and with all that it
may hold, chosen by a seed. Each string is a word that nobody else says, so that it can be looked
for in what the upstream gets.
"""

import collections.abc
import enum
import inspect
import json
import random
import types
import typing

import botocore.model
import cohere
import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from botocore.loaders import Loader
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from typing_extensions import get_type_hints, is_typeddict

from end_to_end.features.asking import SHAPES
from end_to_end.features.verdicts import conversation, written
from end_to_end.sdk.clients import genai
from trivium.faults import Fault, Kind

TURN = {"role": "user", "content": "Hi"}
CONTENT = {"role": "user", "parts": [{"text": "Hi"}]}
PLAIN = {
    "chat": {"model": "m", "messages": [TURN]},
    "responses": {"model": "m", "input": [TURN]},
    "messages": {"model": "m", "max_tokens": 3000, "messages": [TURN]},
    "generate": {"contents": [CONTENT]},
    "converse": {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]},
    "cohere": {"model": "m", "messages": [TURN]},
}
BEDROCK = botocore.model.ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"))
MEMBERS = {
    "chat": get_type_hints(CompletionCreateParamsNonStreaming),
    "responses": get_type_hints(ResponseCreateParamsNonStreaming),
    "messages": get_type_hints(MessageCreateParamsNonStreaming),
    "generate": {
        "contents": list[genai.types.Content],
        "systemInstruction": genai.types.Content,
        "tools": list[genai.types.Tool],
        "toolConfig": genai.types.ToolConfig,
        "safetySettings": list[genai.types.SafetySetting],
        "generationConfig": genai.types.GenerationConfig,
        "cachedContent": str,
        "labels": dict[str, str],
    },
    "converse": {
        name: shape
        for name, shape in BEDROCK.shape_for("ConverseRequest").members.items()
        if name != "modelId"
    },
    "cohere": {
        name: one
        for name, one in get_type_hints(cohere.ClientV2.chat).items()
        if name not in ("model", "request_options", "return")
    },
}
HISTORIES = {"messages", "input", "contents"}
TIMES = collections.defaultdict(lambda: 10, dict.fromkeys(HISTORIES, 300) | {"tools": 100})
SAYS_NOTHING = {
    ("chat", "audio"): "without a wish for sound",
    ("generate", "systemInstruction", "role"): "instructions have no other",
    ("responses", "tools", "name"): "of a namespace with nothing in it",
}
DEPTH = 6
WORDS = {
    "url": "https://example.org/{}", "image_url": "https://example.org/{}",
    "file_url": "https://example.org/{}", "fileUri": "https://example.org/{}",
    "media_type": "image/png", "mimeType": "image/png", "data": "aGVsbG8=",
    "file_data": "data:application/pdf;base64,aGVsbG8=", "arguments": '{{"a":"{}"}}',
    "uri": "s3://bucket/{}", "schema": '{{"type":"object","title":"{}"}}', "toolUseId": "call_1",
    "tool_call_id": "call_1", "call_id": "call_1", "tool_use_id": "call_1",
}  # fmt: skip


class Maker:
    """Makes values of types, and remembers where each word of its own stands."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.words = {}

    def value(self, kind, path):
        """A value of this type."""
        if isinstance(kind, botocore.model.Shape):
            return self.amazons(kind, path)
        origin, inner = typing.get_origin(kind), typing.get_args(kind)
        if origin in (typing.Union, types.UnionType):
            kinds = [one for one in inner if one is not type(None)]
            return self.value(self.random.choice(kinds), path)
        if origin is typing.Literal:
            return self.random.choice(inner)
        if origin is not None and issubclass(origin, collections.abc.Mapping):
            return {"a": self.value(inner[1], path)}
        if origin is not None:
            return [self.value(inner[0], path)] if inner and len(path) < 2 * DEPTH else []
        if is_typeddict(kind):
            return self.members(get_type_hints(kind), path, kind.__required_keys__)
        if inspect.isclass(kind) and issubclass(kind, enum.Enum):
            return self.random.choice(list(kind)).value
        if hasattr(kind, "model_fields"):
            return self.modelled(kind, path)
        if kind in (bool, int, float, bytes):
            choices = {bool: (True, False), int: (1, 2000), float: (0.5, 1.0), bytes: ("aGk=",)}
            return self.random.choice(choices[kind])
        return self.word(path)

    def amazons(self, kind, path):
        """A value of a type of Amazon's; of a union one of its members."""
        if kind.type_name == "structure" and getattr(kind, "is_document_type", False):
            return {"a": self.word(path)}
        if kind.type_name == "structure" and getattr(kind, "is_tagged_union", False):
            name = self.random.choice(list(kind.members))
            return {name: self.value(kind.members[name], (*path, name))}
        if kind.type_name == "structure":
            return self.members(kind.members, path, kind.required_members)
        if kind.type_name == "list":
            return [self.value(kind.member, path)] if len(path) < 2 * DEPTH else []
        if kind.type_name == "map":
            return {"a": self.value(kind.value, path)}
        if getattr(kind, "enum", None):
            return self.random.choice(kind.enum)
        simple = {"boolean": bool, "integer": int, "long": int, "float": float, "blob": bytes}
        return self.value(simple.get(kind.type_name, str), path)

    def modelled(self, kind, path):
        """A value of a class of an SDK's: Google's are spelled otherwise on the wire."""
        spelled = str if kind.__module__.startswith("cohere.") else camel
        fields = {spelled(name): one for name, one in kind.model_fields.items()}
        required = [name for name, one in fields.items() if one.is_required()]
        if spelled is camel:
            required = []
        return self.members({name: one.annotation for name, one in fields.items()}, path, required)

    def members(self, kinds, path, required=()):
        """Those that there must be, and some of the others."""
        return {
            name: self.value(kind, (*path, name))
            for name, kind in kinds.items()
            if name in required or (len(path) < DEPTH and self.random.random() < 0.35)
        }

    def word(self, path):
        """A string that is said nowhere else, where any will do."""
        word = f"zq{len(self.words)}z"
        text = WORDS.get(path[-1], "{}").format(word)
        if word in text:
            self.words[word] = path
        return text


def camel(name):
    """As protobuf's JSON spells it."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def made(shape, member, seed):
    """A request with one member of any value, and the words in it."""
    maker = Maker(f"{shape} {member} {seed}")
    value = maker.value(MEMBERS[shape][member], (member,))
    if member not in HISTORIES or not isinstance(value, list):
        return PLAIN[shape] | {member: value}, maker.words
    return PLAIN[shape] | {
        member: [*PLAIN[shape][member] * 2, *value, *PLAIN[shape][member]]
    }, maker.words


def missing(shape, body, words, upstream):
    """Paths of words that neither arrive nor are told of; none of a request that is refused."""
    try:
        data, report = written(conversation(shape, body), upstream)
    except Fault as fault:
        return [] if fault.kind is Kind.UNREPRESENTABLE and fault.param else [(str(fault),)]
    text = json.dumps(data, ensure_ascii=False)
    told = [
        *(one.member for one in report.drops),
        *(f"{one.what.value} {one.where}" for one in report.repairs),
    ]
    told = " ".join([*told, *report.kept])
    return [
        path
        for word, path in words.items()
        if word not in text
        and not any(step in told for step in path)
        and not any(path[: len(one) - 1] == one[1:] for one in SAYS_NOTHING if one[0] == shape)
    ]


@pytest.mark.parametrize("shape", SHAPES)
def test_no_word_of_a_request_is_lost_in_silence(shape):
    """Whatever its shape has a member for, and nothing is an error that nobody planned."""
    lost, odd, taken = {}, set(), 0
    for member in MEMBERS[shape]:
        if member in ("model", "stream", "max_tokens"):
            continue
        for seed in range(TIMES[member]):
            body, words = made(shape, member, seed)
            try:
                conversation(shape, body)
            except Fault as fault:
                odd |= {fault.status} - {400, 404}
                continue
            taken += 1
            for upstream in SHAPES:
                if upstream != shape:
                    for path in missing(shape, body, words, upstream):
                        lost.setdefault((path, upstream), body)
    assert ({}, set()) == (lost, odd)
    assert taken > 30
