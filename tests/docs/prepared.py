"""A vendor that stands in, and a folder in which a page's commands find what the page speaks of."""

import json
import os
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from end_to_end.sdk.vendor import Vendor

ROOT = Path(__file__).resolve().parents[2]
ANSWER = "Hello from the stand-in."
SETTINGS = """
[server]
drain_notice_s = 0
[records]
flush_s = 0.1
[metrics]
enabled = true
token = "env:METRICS_TOKEN"
[[channels]]
name = "openai-main"
provider = "openai"
api_key = "env:OPENAI_API_KEY"
base_url = "{vendor}/v1"
[[channels]]
name = "anthropic"
provider = "anthropic"
api_key = "env:ANTHROPIC_API_KEY"
base_url = "{vendor}"
[[channels]]
name = "gemini"
provider = "gemini"
api_key = "env:GEMINI_API_KEY"
base_url = "{vendor}"
"""
MODELS = {
    "gpt-5": "openai-main",
    "smollm2": "openai-main",
    "claude-sonnet-4-5": "anthropic",
    "gemini-2.5-flash": "gemini",
}
MODEL = """
[[models]]
name = "{name}"
price = {{ input = "1.25", cache_read = "0.125", output = "10" }}
[[models.bindings]]
channel = "{channel}"
"""
PRELUDE = r"""
went() { local code=$?; [ $code = 0 ] || { echo "$1 failed with $code" >&2; exit 1; }; }
served() {
  quit || return
  : >"$FOLDER/serve.log"
  command trivium "$@" >/dev/null 2>"$FOLDER/serve.log" </dev/null &
  PID=$!
  for _ in $(seq 600); do
    grep -q "trivium is listening" "$FOLDER/serve.log" && return
    kill -0 $PID 2>/dev/null || break
    sleep 0.1
  done
  cat "$FOLDER/serve.log" >&2
  return 1
}
quit() {
  [ -z "${PID:-}" ] && return
  kill $PID && wait $PID
  case $? in
    0 | 127) PID= ;; # bash may have forgotten a job that ended meanwhile
    *) cat "$FOLDER/serve.log" >&2; return 1 ;;
  esac
}
taken_up() {
  for _ in $(seq 600); do
    [ "$(grep -c settings_re "$FOLDER/serve.log")" -gt "$BEFORE" ] && break
    sleep 0.1
  done
  ! grep settings_refused "$FOLDER/serve.log"
}
curl() { command curl $FAIL "$@"; }
trivium() { case $1 in serve) served "$@" ;; *) command trivium "$@" ;; esac; }
trap 'kill $PID 2>/dev/null' EXIT
"""
PEOPLE = r"""
trivium user create ops --email ops@example.com --unlimited >/dev/null && went people
export KEY=$(trivium key create --user ops 2>/dev/null); went people
"""
ADA = r"""
trivium user create ada --email ada@example.com --credit 10.00 >/dev/null; went ada
"""
OF_PAGE = {
    "docs/operate/command-line.md": r"""
trivium user create grace --email grace@example.org >/dev/null
trivium code create --amount 5.00 --count 2 >codes 2>/dev/null
trivium code create --amount 5.00 >/dev/null 2>&1
CODE=$(sed -n 2p codes | cut -d, -f1)
echo '{"model": "gpt-5", "messages": [{"role": "user", "content": "Hi"}]}' >request.json
""",
    "docs/operate/metrics.md": r"""
curl -sS http://127.0.0.1:8080/v1/chat/completions -H "Authorization: Bearer $KEY" \
  -d '{"model": "smollm2", "messages": [{"role": "user", "content": "Hi"}]}' >/dev/null; went asking
""",
    "docs/operate/prices.md": r"""
cat >mini.toml <<'END'
[[models]]
name = "gpt-5-mini"
price = { input = "1", output = "3" }
[[models.bindings]]
channel = "openai-main"
END
trivium config apply mini.toml --yes >/dev/null; went 'a model in the database'
""",
}
"""What a page speaks of besides."""


def usage():
    """What each answer cost, in the words of the chat shape."""
    return {"prompt_tokens": 9, "completion_tokens": 6, "total_tokens": 15}


def chat(body):
    """A whole answer and the pieces of a stream."""
    base = {"id": "chatcmpl-1", "created": 1, "model": body["model"]}
    message = {"role": "assistant", "content": ANSWER}
    whole = {**base, "object": "chat.completion", "usage": usage()}
    whole["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
    piece = {**base, "object": "chat.completion.chunk"}
    pieces = [
        {**piece, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**piece, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {**piece, "choices": [], "usage": usage()},
    ]
    return whole, [*pieces, "[DONE]"]


def messages(body):
    """The same of the messages shape."""
    counted = {"input_tokens": 9, "output_tokens": 6}
    empty = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"]}
    empty |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": counted}
    block = {"type": "text", "text": ANSWER}
    whole = {**empty, "content": [block], "stop_reason": "end_turn"}
    delta = {"type": "text_delta", "text": ANSWER}
    ending = {"stop_reason": "end_turn", "stop_sequence": None}
    return whole, [
        {"type": "message_start", "message": empty},
        {"type": "content_block_start", "index": 0, "content_block": {**block, "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ending, "usage": counted},
        {"type": "message_stop"},
    ]


def responses(body):
    """A whole answer of the responses shape; nothing here streams it."""
    text = {"type": "output_text", "text": ANSWER, "annotations": []}
    item = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant"}
    counted = {"input_tokens": 9, "output_tokens": 6, "total_tokens": 15}
    whole = {"id": "resp_1", "object": "response", "created_at": 1, "model": body["model"]}
    whole |= {"status": "completed", "output": [{**item, "content": [text]}], "usage": counted}
    return {**whole, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}, []


def generate(_):
    """The generate-content shape, whose stream is one answer."""
    counted = {"promptTokenCount": 9, "candidatesTokenCount": 6, "totalTokenCount": 15}
    content = {"role": "model", "parts": [{"text": ANSWER}]}
    candidates = [{"content": content, "finishReason": "STOP", "index": 0}]
    whole = {"candidates": candidates, "usageMetadata": counted}
    return whole, [whole]


SHAPES = {"chat": chat, "messages": messages, "responses": responses, "generate": generate}


class AnyScene:
    """Every model says the same."""

    def get(self, _key, _default=None):
        return self.play

    @staticmethod
    def play(asked, stage):
        whole, events = SHAPES[asked.shape](asked.body)
        if not asked.stream:
            stage.whole(whole)
            return
        stage.begin()
        for event in events:
            name = f"event: {event['type']}\n" if asked.shape == "messages" else ""
            data = event if isinstance(event, str) else json.dumps(event)
            stage.piece(f"{name}data: {data}\n\n".encode())
        stage.end()


def vendor():
    """The server, to be entered."""
    return Vendor(AnyScene())


def environment(shared_url):
    """What the commands are given: keys of vendors, this interpreter's programs first."""
    kept = ("HOME", "LANG", "PYTHONPATH", "TMPDIR")
    secrets = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "NORTHWIND_API_KEY")
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        **dict.fromkeys(secrets, "sk-vendor-0123456789abcdef"),
        "METRICS_TOKEN": "metrics-0123456789abcdef",
        "TRIVIUM_SHARED__URL": shared_url,
    }


def localized(text, folder, port):
    """A page's text with addresses, years and paths as they are here."""
    return replaced(
        text,
        ("127.0.0.1:8080", f"127.0.0.1:{port}"),
        ("0.0.0.0:8080", f"127.0.0.1:{port}"),
        ("2027-", f"{datetime.now(UTC).year + 1}-"),
        ("/etc/trivium/", f"{folder}/etc/"),
    )


def filled_in(command, folder, port):
    """A command with what a reader would put in; what was used is booked within two seconds."""
    return replaced(
        re.sub(r"(?<!\$)\bPID\b", "$PID", localized(command, folder, port)),
        ("7K3QM-0XV9A-C5T2E-RWH8N-4B9TN", "$CODE"),
        ("sk-gateway-…", "$KEY"),
        ("=…", "=sk-vendor-0123456789abcdef"),
        ("trivium ledger export", "sleep 2; trivium ledger export"),
    )


def replaced(text, *pairs):
    """Each of these by its other."""
    for there, here in pairs:
        text = text.replace(there, here)
    return text


def settings(vendor_origin):
    """The file of the prepared gateway."""
    models = (MODEL.format(name=name, channel=channel) for name, channel in MODELS.items())
    return SETTINGS.format(vendor=vendor_origin) + "".join(models)


def script(page, found, folder, port, vendor_origin):
    """Everything a page's blocks do, in turn, in one shell; an answer is kept as out.LINE.N."""
    text = "\n".join("\n".join(block.lines) for block in found)
    lines = [PRELUDE, "trivium migrate >/dev/null 2>&1", PEOPLE]
    lines += [ADA] if "--user ada" in text and "user create ada" not in text else []
    lines += ["trivium serve; went start"]
    lines += [localized(OF_PAGE.get(page, ""), folder, port)]
    for block in found:
        body = localized("\n".join(block.lines), folder, port)
        lines.append(f"echo '== {block.where}' >&2")
        lines.append(f"FAIL={'' if block.language == 'console' else '--fail-with-body'}")
        if block.alone:
            lines.append("mkdir -p alone; cd alone")
        kind, name = block.file
        if kind:
            into = ">" if kind == "write" else ">>"
            lines.append('BEFORE=$(grep -c settings_re "$FOLDER/serve.log")')
            lines.append(f"cat {into} {name} <<'END'\n{pointed(body, vendor_origin)}\nEND")
            lines += [f"taken_up; went {block.where}"] if name == "trivium.toml" else []
        elif block.language in PROGRAMS:
            run = PROGRAMS[block.language]
            lines += [f"{run} <<'END'\n{body}\nEND", f"went {block.where}"]
        else:
            for number, (command, _) in enumerate(block.kept()):
                step = filled_in(command, folder, port)
                kept = f' >"$FOLDER/out.{block.line}.{number}" 2>&1'
                lines.append(f"{{ {step}\n}}{kept if block.language == 'console' else ''}")
                lines.append(f"went '{block.where} ({number + 1})'")
        if block.alone:
            lines.append('cd "$FOLDER"')
    return "\n".join([*lines, "quit; went 'the end of the gateway'"]) + "\n"


def node_modules(folder, clients):
    """The Node clients by the names that their vendors give them."""
    (folder / "@google").mkdir(parents=True)
    (folder / "@google" / "genai").symlink_to(clients / "genai-3")
    (folder / "@anthropic-ai").symlink_to(clients / "@anthropic-ai")
    (folder / "openai").symlink_to(clients / "openai-7")


PROGRAMS = {"python": "python -", "js": "node --input-type=module"}


def pointed(text, vendor_origin):
    """Settings whose channels lead to the vendor that stands in, whichever they name."""
    text = re.sub(r'base_url = "https?://[^/"]+', f'base_url = "{vendor_origin}', text)
    for name, base in (("OPENAI", "/v1"), ("ANTHROPIC", ""), ("GEMINI", "")):
        line = f'api_key = "env:{name}_API_KEY"'
        text = text.replace(line, f'{line}\nbase_url = "{vendor_origin}{base}"')
    return text


HOSTS = ("api.openai.com", "api.anthropic.com", "generativelanguage.googleapis.com")


def answers(block, folder, port, vendor_origin):
    """Each command of a block with what it should and what it did answer, columns pushed up."""
    here = vendor_origin.removeprefix("http://")
    for number, (command, answer) in enumerate(block.kept()):
        if block.language == "console" and answer.strip():
            said = (folder / f"out.{block.line}.{number}").read_text(encoding="utf-8")
            wanted = replaced(localized(answer, folder, port), *((host, here) for host in HOSTS))
            yield command, *(re.sub(" +", " ", text).strip() for text in (wanted, said))
