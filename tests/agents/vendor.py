"""A vendor of the chat or the messages shape whose model calls the caller's shell once, then says
what came of it. Enough to see whether a coding agent can work: whether its tools arrive, whether a
call with streamed arguments reaches it, whether its result comes back.
"""

import asyncio
import json

SHELLS = ("exec_command", "run_shell_command", "Bash", "bash", "shell")
WORD = "trivium-was-here"
COMMAND = f"echo {WORD}"


def _arguments(schema):
    """What the shell tool of an agent asks for, whatever it calls the members."""
    members = schema["properties"]
    found = {name: COMMAND for name in ("cmd", "command") if name in members}
    for name in schema.get("required", ()):
        kind = members[name].get("type")
        found.setdefault(name, {"string": "says a word", "boolean": False}.get(kind, 1000))
    return json.dumps(found)


def _sse(events, *, named):
    lines = []
    for event in events:
        if named:
            lines.append(f"event: {event['type']}")
        lines += [f"data: {event if event == '[DONE]' else json.dumps(event)}", ""]
    return ("\n".join(lines) + "\n").encode()


class Chat:
    """OpenAI's chat completions."""

    name, provider = "chat", "openai"

    @staticmethod
    def tools(body):
        return {t["function"]["name"]: t["function"]["parameters"] for t in body.get("tools", ())}

    @staticmethod
    def result(body):
        found = [m["content"] for m in body["messages"] if m["role"] == "tool"]
        return str(found[-1]) if found else None

    @staticmethod
    def stream(model, text, name, arguments):
        base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": model}

        def chunk(delta, end=None):
            choice = {"index": 0, "delta": delta, "finish_reason": end}
            return {**base, "choices": [choice]}

        if name is None:
            said = [chunk({"role": "assistant", "content": ""}), chunk({"content": text})]
            said.append(chunk({}, "stop"))
        else:
            call = {"index": 0, "id": "call_a1", "type": "function"}
            call["function"] = {"name": name, "arguments": ""}
            said = [chunk({"role": "assistant", "content": None, "tool_calls": [call]})]
            for at in range(0, len(arguments), 9):
                piece = {"index": 0, "function": {"arguments": arguments[at : at + 9]}}
                said.append(chunk({"tool_calls": [piece]}))
            said.append(chunk({}, "tool_calls"))
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        return _sse([*said, {**base, "choices": [], "usage": usage}, "[DONE]"], named=False)


class Messages:
    """Anthropic's messages."""

    name, provider = "messages", "anthropic"

    @staticmethod
    def tools(body):
        return {t["name"]: t["input_schema"] for t in body.get("tools", ()) if "input_schema" in t}

    @staticmethod
    def result(body):
        blocks = [
            block
            for message in body["messages"]
            for block in (message["content"] if isinstance(message["content"], list) else ())
            if block["type"] == "tool_result"
        ]
        return str(blocks[-1].get("content")) if blocks else None

    @staticmethod
    def stream(model, text, name, arguments):
        usage = {"input_tokens": 100, "output_tokens": 1}
        message = {
            "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": usage,
        }  # fmt: skip
        if name is None:
            block = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": text}]
        else:
            block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}
            deltas = [
                {"type": "input_json_delta", "partial_json": arguments[at : at + 9]}
                for at in range(0, len(arguments), 9)
            ]
        end = {"stop_reason": "tool_use" if name else "end_turn", "stop_sequence": None}
        return _sse(
            [
                {"type": "message_start", "message": message},
                {"type": "content_block_start", "index": 0, "content_block": block},
                *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
                {"type": "content_block_stop", "index": 0},
                {"type": "message_delta", "delta": end, "usage": {"output_tokens": 20}},
                {"type": "message_stop"},
            ],
            named=True,
        )


class Vendor:
    """Serves one shape on loopback and keeps the bodies it got."""

    def __init__(self, shape):
        self.shape = shape
        self.bodies = []

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=2**26)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc):
        self._server.close()

    async def _serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                size = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
                body = json.loads(await reader.readexactly(size))
                self.bodies.append(body)
                out = self._answer(body)
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: "
                    b"%d\r\n\r\n%b" % (len(out), out)
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _answer(self, body):
        shape = self.shape
        result = shape.result(body)
        shells = [name for name in shape.tools(body) if name in SHELLS]
        if result is not None or not shells:
            text = "Nothing to do." if result is None else f"It said {result[-300:]}"
            return shape.stream(body["model"], text, None, "")
        name = shells[0]
        return shape.stream(body["model"], "", name, _arguments(shape.tools(body)[name]))
