"""Every pair of shapes: a gateway whose models speak every shape, and a vendor that checks what it gets.

A model is `{scene}-{shape}`: the scene that the vendor plays, in the shape it is asked in. The
vendor refuses with 400 whatever its own vendor refuses (``features/rules.py``), so that a wrong
translation fails in the SDK under test. Its answers are those of ``features/telling.py``.
"""

import json

from end_to_end.features import answering, journeys, rules, streams, troubles
from end_to_end.features.asking import PNG, SHAPES
from end_to_end.features.telling import TELLINGS, TEXT
from end_to_end.sdk.house import VENDOR_KEY
from end_to_end.sdk.scenes import refusal
from end_to_end.sdk.vendor import Vendor
from trivium.wire.operation import EVENT_STREAM

CHANNEL = {
    "chat": ("openai", "/v1"),
    "responses": ("openai", "/v1"),
    "messages": ("anthropic", ""),
    "generate": ("gemini", ""),
    "converse": ("bedrock", ""),
    "cohere": ("cohere", "/compatibility/v1"),
}
TOWN = (
    '{"city":"Köln","people":1087000,"mayor":{"name":"Ada","born":null},'
    '"council":[{"name":"Bo","born":1970}],"climate":"mild"}'
)
CALLS = (
    ("call_1", "look", '{"city":"Köln"}', {"city": "Köln"}),
    ("call_2", "look", '{"city":"Oslo"}', {"city": "Oslo"}),
    ("call_3", "now", "{}", {}),
)
CALLED = [("look", {"city": "Köln"}), ("look", {"city": "Oslo"}), ("now", {})]
RESULTS = ("12 degrees", "3 degrees", "12:00")
STATUS = {"bad": 400, "busy": 429, "broke": 500, "over": 529}


def _saying(text):
    """A plain answer in every shape."""
    return {
        "chat": answering.chat(text),
        "responses": answering.responses(answering.message(text)),
        "messages": answering.messages(text),
        "generate": answering.generate(text),
        "converse": answering.converse(text),
        "cohere": answering.cohere(text),
    }


def _told(title):
    return next(case.bodies for case in TELLINGS if case.title == title)


HELLO = _saying(TEXT)
ANSWERS = {
    "text": HELLO,
    "image": HELLO,
    "town": _saying(TOWN),
    "length": _told("length"),
    "block": _told("safety block")
    | {"converse": answering.converse(TEXT, stop="content_filtered")},
    "calls": answering.calling(*CALLS, text="Let me see."),
    "signed": journeys.SIGNED,
    "refusal": _told("refusal in words"),
    "usage": _told("usage classes"),
}
# the vendor signs the first call of a step, and wants it back
ANSWERS["calls"]["generate"]["candidates"][0]["content"]["parts"][1]["thoughtSignature"] = "c2ln"
SCENES = (*ANSWERS, *STATUS, "broken")
ASKED = {"image": PNG, "town": "people"}
"""What a scene's request must have in it."""


class Strict(Vendor):
    """The double behind the pairs."""

    def __init__(self):
        super().__init__({})

    def play(self, asked, stage):
        """Check, then answer."""
        scene, _, _ = asked.scene.partition("-")
        try:
            rules.check(asked.shape, asked.body, asked.scene)
            # Google's SDK for Python writes the other alphabet of base64
            text = json.dumps(asked.body).replace("_", "/").replace("-", "+")
            rules.must(ASKED.get(scene, "") in text, f"the request of {scene} lacks its point")
            back = _is_back(asked.shape, asked.body)
            if scene == "calls" and back:
                rules.must(all(result in text for result in RESULTS), "a result is missing")
            if scene == "signed" and back:
                rules.must(journeys.KEPT[asked.shape](asked.body), "the signature is gone")
        except rules.Broken as broken:
            told = refusal(asked.shape, 400, "invalid_request_error", f"RULES: {broken}")
            stage.whole(told, status=400)
            return
        if scene in STATUS:
            _refuse(asked.shape, STATUS[scene], stage)
        elif scene == "broken":
            _break(asked.shape, stage)
        else:
            _answer(asked, HELLO if back else ANSWERS[scene], stage)


def _is_back(shape, body):
    """Whether it has tools' results."""
    words = {
        "chat": '"role": "tool"',
        "responses": '"function_call_output"',
        "messages": '"tool_result"',
        "generate": '"functionResponse"',
        "converse": '"toolResult"',
        "cohere": '"role": "tool"',
    }
    return words[shape] in json.dumps(body)


def _answer(asked, bodies, stage):
    body = bodies.get(asked.shape) or HELLO[asked.shape]
    if not asked.stream:
        stage.whole(body)
        return
    _begin(asked.shape, stage)
    wire = streams.stream(asked.shape, body)
    for start in range(0, len(wire), 300):
        stage.piece(wire[start : start + 300])
    stage.end()


def _refuse(shape, status, stage):
    kind, word = troubles.REFUSALS[status]
    told = {"error": {"type": kind, "message": "No.", "code": None, "param": None}}
    if shape == "messages":
        told |= {"type": "error", "request_id": "req_vendor0001"}
    if shape == "converse":
        named = {"x-amzn-errortype": troubles.EXCEPTIONS[status]}
        # the service has no such status
        status = 503 if status == 529 else status
        stage.whole({"message": "No."}, status=status, headers=named)
        return
    if shape == "cohere":
        told = {"id": "e9", "message": "No."}
    if shape == "generate":
        told = {"error": {"code": status, "message": "No.", "status": word}}
    stage.whole(told, status=status)


def _break(shape, stage):
    """Some words, then the vendor's own error event."""
    told = streams.frames(shape, HELLO[shape])[: troubles.PIECES[shape]]
    _begin(shape, stage)
    for frame in told:
        stage.piece(frame)
    stage.piece(troubles.broken(shape))
    stage.end()


def _begin(shape, stage):
    if shape == "converse":
        stage.begin(EVENT_STREAM)
    else:
        stage.begin()


def settings(vendor):
    """The settings file's text, apart from where to listen."""
    parts = []
    for name, base in dict(CHANNEL.values()).items():
        parts.append(
            f'[[channels]]\nname = "{name}"\nprovider = "{name}"\napi_key = "{VENDOR_KEY}"\n'
            f'base_url = "{vendor.origin}{base}"\n'
        )
    for scene in SCENES:
        parts += [
            f'[[models]]\nname = "{scene}-{shape}"\nfree = true\ncontext_max = 128000\n'
            f'[[models.bindings]]\nchannel = "{CHANNEL[shape][0]}"\nshape = "{shape}"\n'
            for shape in SHAPES
        ]
    return "\n".join(parts)
