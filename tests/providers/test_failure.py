"""Every vendor's refusal becomes the right fault, and nothing of the vendor's secrets survives."""

import tomllib
from pathlib import Path

import msgspec
import pytest

from trivium.faults import Kind
from trivium.providers.base import VendorRefusal
from trivium.providers.failure import default_failure, error_event

FIXTURES = Path(__file__).parents[1] / "fixtures" / "providers"
DOCUMENTED = tomllib.loads((FIXTURES / "refusals.toml").read_text(encoding="utf-8"))
RECORDED = msgspec.json.decode((FIXTURES / "llamacpp" / "refusals.json").read_bytes())


def refusal(status, body, headers=None):
    return VendorRefusal(status=status, headers=headers or {}, body=body.encode())


@pytest.mark.parametrize("name", DOCUMENTED)
def test_documented_refusals_become_faults(name):
    """Kind, what is shown, what is hidden, and how long to wait."""
    case = DOCUMENTED[name]
    fault = default_failure(refusal(case["status"], case["body"], case.get("headers")))
    assert Kind(case["kind"]) is fault.kind
    assert case.get("shown", "") in fault.message
    for hidden in case.get("hidden", []):
        assert hidden not in fault.message
    assert case.get("param") == fault.param or "param" not in case
    assert case.get("wait") == fault.retry_after
    assert case.get("code", fault.code) == fault.code
    assert case.get("code_status", fault.status) == fault.status
    assert fault.message.strip()


@pytest.mark.parametrize("name", DOCUMENTED)
def test_no_refusal_asks_clients_to_repeat_a_409_or_408(name):
    """Both are retried unasked by the OpenAI and Anthropic SDKs."""
    case = DOCUMENTED[name]
    fault = default_failure(refusal(case["status"], case["body"]))
    assert fault.status not in (401, 403, 408, 409, 422)


@pytest.mark.parametrize(
    ("name", "kind", "param", "shown"),
    [
        ("context", Kind.CONTEXT_TOO_LONG, None, "9031 tokens"),
        ("context_stream", Kind.CONTEXT_TOO_LONG, None, "9031 tokens"),
        ("embed_off", Kind.UNREPRESENTABLE, None, "does not support embeddings"),
        ("image", Kind.UNREPRESENTABLE, None, "image input is not supported"),
        ("image_url", Kind.UNREPRESENTABLE, None, "image input is not supported"),
        ("messages_image", Kind.UNREPRESENTABLE, None, "image input is not supported"),
        ("nomessages", Kind.MISSING_MEMBER, "messages", "`messages` is required."),
        ("messages_nomessages", Kind.MISSING_MEMBER, "messages", "`messages` is required."),
        ("previous", Kind.UPSTREAM_REJECTED, None, "previous_response_id"),
        ("json", Kind.UPSTREAM_REJECTED, None, "parse error at line 1"),
        ("temp", Kind.UPSTREAM_REJECTED, None, "type must be number"),
        ("path", Kind.UPSTREAM_BROKE, None, "does not know the address"),
        ("key", Kind.UPSTREAM_CREDENTIAL, None, "account"),
        ("loading", Kind.UPSTREAM_OVERLOADED, None, "overloaded"),
    ],
)
def test_what_llamacpp_says_becomes_faults(name, kind, param, shown):
    """The engine blames itself for requests it cannot take: clients would repeat them for ever."""
    fault = default_failure(refusal(RECORDED[name]["status"], RECORDED[name]["body"]))
    assert (kind, param) == (fault.kind, fault.param)
    assert shown in fault.message


def test_every_recorded_refusal_is_in_the_table():
    """A body recorded later does not go unread."""
    assert 14 == len(RECORDED)


def test_overflow_is_told_in_the_words_agents_match():
    """Claude Code and LangChain look for these words, not for the code."""
    case = DOCUMENTED["openai_context"]
    fault = default_failure(refusal(case["status"], case["body"]))
    assert fault.message.startswith("prompt is too long")
    assert "exceeds the context window" in fault.message
    assert "context_length_exceeded" == fault.code


def test_a_known_delay_is_said_in_words():
    """Codex-family clients read it out of the text."""
    fault = default_failure(refusal(429, "{}", {"retry-after": "1.2"}))
    assert fault.message.endswith("try again in 2s.")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (b'{"code":502,"message":"Provider returned error"}', Kind.UPSTREAM_BROKE),
        (b'{"code":429,"message":"slow down"}', Kind.UPSTREAM_RATE_LIMITED),
        (b'{"code":401,"message":"No auth credentials found"}', Kind.UPSTREAM_CREDENTIAL),
        (
            b'{"type":"service_unavailable_error","code":"server_is_overloaded","message":"x"}',
            Kind.UPSTREAM_OVERLOADED,
        ),
        (b'{"type":"overloaded_error","message":"Overloaded"}', Kind.UPSTREAM_OVERLOADED),
        (b'{"type":"invalid_request_error","message":"bad","code":400}', Kind.UPSTREAM_REJECTED),
        (b'{"code":"context_length_exceeded","message":"long"}', Kind.CONTEXT_TOO_LONG),
        (b'{"code":"content_filter","message":"no"}', Kind.CONTENT_POLICY),
        (b'{"code":503,"message":"x","status":"UNAVAILABLE"}', Kind.UPSTREAM_OVERLOADED),
        (b'"some text"', Kind.UPSTREAM_BROKE),
        (b"null", Kind.UPSTREAM_BROKE),
        (b"{}", Kind.UPSTREAM_BROKE),
        (b"not json", Kind.UPSTREAM_BROKE),
    ],
)
def test_errors_inside_an_answer_become_faults(error, kind):
    """There is no status: the object's own codes decide, and without any the vendor failed."""
    assert kind is error_event(error).kind


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("size limit exceeded by 9 tokens. Try using shorter inputs.", Kind.CONTEXT_TOO_LONG),
        ("total number of tokens in the prompt cannot exceed 4081", Kind.CONTEXT_TOO_LONG),
        ("max tokens must be less than or equal to 4096", Kind.UPSTREAM_REJECTED),
    ],
)
def test_coheres_too_many_tokens_are_of_the_prompt_or_of_the_answer(said, kind):
    """The first are what agents shorten their history for."""
    body = f'{{"id":"e","message":"too many tokens: {said}"}}'
    assert kind is default_failure(refusal(400, body)).kind


@pytest.mark.parametrize(
    ("status", "theirs", "code"),
    [
        (404, "whatever", "not_found"),
        (404, "previous_response_not_found", "previous_response_not_found"),
        (413, "string_above_max_length", "request_too_large"),
        (400, "whatever", "invalid_value"),
        (422, "invalid_type", "invalid_type"),
    ],
)
def test_a_refused_request_has_a_code_that_goes_with_its_status(status, theirs, code):
    """The vendor's own where clients know it; a 404 is never called an invalid value."""
    body = f'{{"error":{{"message":"No such voice.","code":"{theirs}"}}}}'
    assert code == default_failure(refusal(status, body)).code


SECRETS = [
    "sk-canary0AbCdEfGhIjKlMnOpQrStUvWxYz012345",
    "sk-ant-api03-CANARY0_-aBcDeFgHiJkLmNoPqRsTuVwXyZ",
    "sk-proj-***************CANA",
    "AIzaCANARY0-bCdEfGhIjKlMnOpQrStUvWxYz01",
    "xai-CANARY0aBcDeFgHiJkLmNoP",
    "gsk_CANARY0aBcDeFgHiJkLmNoP",
    "hf_CANARYaBcDeFgHiJkLmNoPqR",
    "Bearer canary.token-value",
    "api_key=canary",
    "password: canary1",
    "0123456789abcdef0123456789abcdef",
    "eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOjF9.c2lnbmF0dXJl",
    "https://user:canary@internal.example.com:8443/v1?key=canary",
    "canary-host.internal:8000",
    "api.canary.example.com",
    "10.11.12.13:9000",
    "ops@canary.example.org",
    "org-canaryAbC123456",
    "proj_canary123456",
    "req_canary0123456789",
    "request id: canary-0123456789",
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "/srv/canary/app/main.py",
    "C:\\canary\\secret.txt",
    "deployment id canary-7f9c2",
]
WRAPPINGS = [
    '{{"error":{{"message":"The request was bad: {0} is wrong here","type":"invalid_request_error"}}}}',
    '{{"error":"The request was bad: {0} is wrong here"}}',
    '{{"detail":"The request was bad: {0} is wrong here"}}',
    '[{{"error":{{"code":400,"message":"The request was bad: {0} is wrong","status":"X"}}}}]',
    '{{"error":{{"message":"maximum context length reached: {0} is wrong"}}}}',
    '{{"error":{{"message":"flagged: {0} is wrong here","code":"content_filter"}}}}',
    '{{"error":{{"message":"bad","param":"{0}","code":"{0}","type":"{0}"}}}}',
    "The request was bad: {0} is wrong here",
]


@pytest.mark.parametrize("status", [400, 401, 404, 413, 422, 429, 500, 501, 503])
@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_planted_secrets_never_reach_a_caller(wrapping, status):
    """Neither in the message nor in any other member of the fault."""
    for secret in SECRETS:
        body = wrapping.format(secret.replace("\\", "\\\\"))
        fault = default_failure(refusal(status, body))
        shown = f"{fault.message} {fault.param} {fault.code}"
        assert secret not in shown
        assert "canary" not in shown.lower()


def test_a_long_explanation_is_cut():
    """No vendor fills a caller's log."""
    body = '{"error":{"message":"' + "long words " * 400 + '"}}'
    assert len(default_failure(refusal(400, body)).message) <= 500


def test_a_stack_trace_is_not_shown():
    """What remains of one after cleaning is still a map of the machine."""
    body = '{"error":{"message":"Traceback (most recent call last): in f"}}'
    assert "Traceback" not in default_failure(refusal(400, body)).message


def test_of_a_delay_and_a_used_up_limit_the_later_holds():
    """Before that the vendor would only refuse again; a limit of a success says nothing."""
    headers = {
        "retry-after": "2",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "30s",
    }
    assert default_failure(refusal(429, "{}", headers)).retry_after == 30.0
    assert default_failure(refusal(429, "{}", headers | {"retry-after": "40"})).retry_after == 40.0
    assert default_failure(refusal(503, "{}", headers)).retry_after == 2.0


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"temperature must be at most 2", "temperature must be at most 2"),
        (b"temperature is wrong, says node7.corp.internal:8000", "temperature is wrong, says […]"),
        (b"Bad Request", ""),
        (b"400 Bad Request\r\n", ""),
        (b"error: Unprocessable Entity.", ""),
        (b"<html><body>temperature must be at most 2", ""),
        (rb'{"error":{"message":"{\"message\":\"top_p is too large\"}"}}', "top_p is too large"),
        (rb'{"error":{"message":"{\"message\":\"<b>top_p is too large\"}"}}', ""),
        (
            rb'{"message":"{\"message\":\"no such tool, Authorization: Bearer abcdefgh\"}"}',
            "no such tool, […]",
        ),
    ],
)
def test_a_vendors_reason_is_shown_wherever_it_stands(body, words):
    """In a line of text, or in the answer that a server in front put into its own."""
    fault = default_failure(VendorRefusal(status=400, headers={}, body=body))
    if b"<html" in body:
        assert Kind.UPSTREAM_BROKE is fault.kind
        assert "temperature" not in fault.message
        return
    assert Kind.UPSTREAM_REJECTED is fault.kind
    assert (
        words or "The upstream rejected this request without a reason we can show."
    ) == fault.message
