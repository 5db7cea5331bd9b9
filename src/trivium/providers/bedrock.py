"""Amazon Bedrock: Converse for every model, Claude's own shape, and endpoints of OpenAI's shapes.

Five providers, because a model speaks one of them and a channel has one address:

* ``bedrock``: Converse and ConverseStream, which all text models take, and their CountTokens.
* ``bedrock-messages``: InvokeModel with bodies of the messages shape, which are Claude's.
* ``bedrock-openai``: chat completions and responses at the same host.
* ``bedrock-mantle``: chat completions, responses and messages at Mantle's host.
* ``bedrock-embed``: InvokeModel with the bodies of Titan's and Cohere's embeddings.

A channel with an ``api_key`` presents it (``AWS_BEARER_TOKEN_BEDROCK``); one without signs, by the
identity that ``identities/aws.py`` finds. The region of the signature is the host's, or
``credential.region`` where the host names none. A model is an id, an inference profile
(``us.``, ``eu.``, ``global.``) or an ARN; in the path all but letters, digits and ``-._~`` is
percent-encoded, as botocore does.

Nothing is forwarded from the caller: guardrails and tags of requests are the operator's to set, as
headers of the channel. What ``anthropic-beta`` says travels in the body. Nothing of the answer's
headers is returned.

Sources: botocore 1.44.8 (``bedrock-runtime``: ``service-2.json``, ``endpoint-rule-set-1``);
anthropic-sdk-python 2.11.0 (``lib/bedrock``), openai-python 3.52.0 (``providers/bedrock.py``);
https://docs.aws.amazon.com/bedrock/latest/userguide/inference-responses-api.html,
https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html; read
2026-11-28.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import msgspec

from trivium.faults import Fault
from trivium.providers.base import Capabilities, Provider, VendorRefusal
from trivium.providers.credential import (
    BEARER,
    CredentialChoice,
    Refusals,
    Remedy,
    Signature,
    Signer,
    Signing,
    Unsigned,
)
from trivium.providers.failure import default_failure
from trivium.providers.identities import aws
from trivium.providers.signature_v4 import SignatureV4, SignerV4
from trivium.providers.wrapping import BEDROCK_COUNT, BEDROCK_MESSAGES
from trivium.wire.operation import EVENT_STREAM, Operation

ERROR_TYPE: Final = "x-amzn-errortype"
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode
_encode: Final = msgspec.json.Encoder().encode

_AGED: Final = frozenset({
    "ExpiredTokenException", "ExpiredToken", "UnrecognizedClientException", "InvalidClientTokenId",
    "InvalidClientTokenIdException", "UnauthorizedException",
})  # fmt: skip
_CLOCK: Final = frozenset({
    "InvalidSignatureException", "SignatureDoesNotMatch", "RequestTimeTooSkewed", "RequestExpired",
    "RequestExpiredException",
})  # fmt: skip
_ACCOUNT: Final = _AGED | _CLOCK | frozenset({
    "MissingAuthenticationTokenException", "MissingAuthenticationToken",
    "IncompleteSignatureException", "IncompleteSignature", "OptInRequired", "NotAuthorized",
    "MissingAuthorizationHeaderException",
})  # fmt: skip

_CREDENTIAL: Final = (401, "authentication_error")
_DENIED: Final = (403, "permission_denied")
_NO_MODEL: Final = (404, "model_not_found")
_MEANINGS: Final[Mapping[str, tuple[int, str]]] = {
    **dict.fromkeys(_ACCOUNT, _CREDENTIAL),
    "AccessDeniedException": _DENIED,
    "ResourceNotFoundException": _NO_MODEL,
    "ThrottlingException": (429, ""),
    "ServiceQuotaExceededException": (429, ""),
    "ModelNotReadyException": (503, "overloaded_error"),
    "ServiceUnavailableException": (503, "overloaded_error"),
    "ModelTimeoutException": (504, ""),
    "ModelErrorException": (502, ""),
    "ModelStreamErrorException": (502, ""),
    "InternalServerException": (500, ""),
    "InternalFailure": (500, ""),
    "UnknownOperationException": (404, "unknown_url"),
}
"""Exceptions by name -> the status and code that mean the same in the words all vendors share."""
_WORDS: Final = (
    (re.compile(r"(?i)\bapi key\b|\bbearer token\b|security token"), "AccessDeniedException",
     _CREDENTIAL),
    (re.compile(r"(?i)model identifier is invalid|on-demand throughput|inference profile"
                r"|end of its life|legacy|access to the model"), "", _NO_MODEL),
    (re.compile(r"(?i)input is too long|too many (?:input )?tokens|exceeds? the (?:model's )?"
                r"maximum (?:context|input)"), "ValidationException",
     (400, "context_length_exceeded")),
)  # fmt: skip
"""Where one exception says several things: its words, its name (empty: any about the request or
about access), and what it means."""
_WORDY: Final = frozenset({"AccessDeniedException", "ValidationException"})
_LOOKED_AT_MAX: Final = 2_048


def told(headers: Mapping[str, str], body: bytes) -> tuple[str, str]:
    """The exception's name and words, empty where there are none. Never raises."""
    try:
        said = _decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        said = {}
    name = headers.get(ERROR_TYPE) or said.get("__type") or said.get("code") or ""
    words = said.get("message") or said.get("Message") or ""
    if not isinstance(name, str) or not isinstance(words, str):
        return "", ""
    return name.partition(":")[0].rpartition("#")[2], words


def failure(refusal: VendorRefusal) -> Fault:
    """The fault behind one of Bedrock's exceptions; what has no name of theirs is anybody's."""
    name, words = told(refusal.headers, refusal.body)
    meaning = _MEANINGS.get(name)
    if name in _WORDY:
        text = words[:_LOOKED_AT_MAX]
        for pattern, only, meant in _WORDS:
            if only in ("", name) and pattern.search(text):
                meaning = meant
                break
    if meaning is None and name != "ValidationException":
        return default_failure(refusal)
    status, code = meaning or (400, "")
    error = {"message": words, "type": code or None, "code": code or None}
    return default_failure(
        VendorRefusal(status=status, headers=refusal.headers, body=_encode({"error": error}))
    )


def remedy(status: int, headers: Mapping[str, str], body: bytes) -> Remedy:
    """What may be done about a refused signature: look for another key, or set the clock."""
    del status
    name, _ = told(headers, body)
    if name in _CLOCK:
        return Remedy.CLOCK
    return Remedy.RENEW if name in _AGED else Remedy.NONE


def _region(parts: Mapping[str, str], unsigned: Unsigned) -> str:
    region = parts.get("region") or aws.region_of(f"https://{unsigned.host}")
    if not region:
        raise ValueError("the host names no region: credential needs region, as us-east-1")
    return region


def _begin(service: str, parts: Mapping[str, str], unsigned: Unsigned) -> Signature:
    return SignatureV4(parts, unsigned, _region(parts, unsigned), service)


def _prepare(service: str, parts: Mapping[str, str], unsigned: Unsigned) -> Signer:
    return SignerV4(parts, unsigned, _region(parts, unsigned), service)


def _credential(service: str) -> CredentialChoice:
    begin: Callable[[Mapping[str, str], Unsigned], Signature] = partial(_begin, service)
    prepare: Callable[[Mapping[str, str], Unsigned], Signer] = partial(_prepare, service)
    return CredentialChoice(
        key=BEARER,
        otherwise=Signing(
            begin=begin,
            prepare=prepare,
            parts=(),
            optional=aws.NAMES,
            finder=aws.FINDER,
            refusals=Refusals(statuses=frozenset({400, 401, 403}), remedy=remedy),
        ),
    )


_RUNTIME: Final = _credential("bedrock")
_HOST: Final = "https://bedrock-runtime.{region}.amazonaws.com"
_VARIABLES: Final = ("AWS_BEARER_TOKEN_BEDROCK",)
_CAPABLE: Final = Capabilities(
    tools=True, images=True, documents=True, reasoning=True, structured_output=True,
    prompt_cache=True,
)  # fmt: skip

CONVERSE: Final = Provider(
    name="bedrock",
    title="Amazon Bedrock",
    base_url=None,
    base_form=_HOST,
    credential=_RUNTIME,
    key_variables=_VARIABLES,
    paths={
        Operation.CONVERSE: "/model/{model}/converse",
        Operation.CONVERSE_STREAM: "/model/{model}/converse-stream",
        Operation.CONVERSE_COUNT: "/model/{model}/count-tokens",
    },
    stream_paths={
        Operation.CONVERSE: "/model/{model}/converse-stream",
        Operation.CONVERSE_STREAM: "/model/{model}/converse-stream",
    },
    stream_accept={
        Operation.CONVERSE: EVENT_STREAM,
        Operation.CONVERSE_STREAM: EVENT_STREAM,
    },
    capabilities=_CAPABLE,
    failure=failure,
    source=(
        "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, "
        "read 2026-11-28"
    ),
)

MESSAGES: Final = Provider(
    name="bedrock-messages",
    title="Amazon Bedrock (Claude by InvokeModel)",
    base_url=None,
    base_form=_HOST,
    credential=_RUNTIME,
    key_variables=_VARIABLES,
    paths={
        Operation.MESSAGES: "/model/{model}/invoke",
        Operation.MESSAGES_COUNT: "/model/{model}/count-tokens",
    },
    stream_paths={Operation.MESSAGES: "/model/{model}/invoke-with-response-stream"},
    stream_accept={Operation.MESSAGES: EVENT_STREAM},
    wrappings={
        Operation.MESSAGES: BEDROCK_MESSAGES,
        Operation.MESSAGES_COUNT: BEDROCK_COUNT,
    },
    capabilities=_CAPABLE,
    failure=failure,
    source=(
        "https://docs.aws.amazon.com/bedrock/latest/userguide/"
        "model-parameters-anthropic-claude-messages.html, read 2026-11-28"
    ),
)

OPENAI: Final = Provider(
    name="bedrock-openai",
    title="Amazon Bedrock (OpenAI's shapes)",
    base_url=None,
    base_form=f"{_HOST}/openai/v1",
    credential=_RUNTIME,
    key_variables=_VARIABLES,
    paths={Operation.CHAT: "/chat/completions", Operation.RESPONSES: "/responses"},
    capabilities=Capabilities(stream_usage=True, tools=True),
    failure=failure,
    source=(
        "https://docs.aws.amazon.com/bedrock/latest/userguide/inference-responses-api.html, "
        "read 2026-11-28"
    ),
)

MANTLE: Final = Provider(
    name="bedrock-mantle",
    title="Amazon Bedrock (Mantle)",
    base_url=None,
    base_form="https://bedrock-mantle.{region}.api.aws/v1",
    credential=_credential("bedrock-mantle"),
    key_variables=_VARIABLES,
    paths={
        Operation.CHAT: "/chat/completions",
        Operation.RESPONSES: "/responses",
        Operation.MESSAGES: "../anthropic/v1/messages",
    },
    forwards=frozenset({"anthropic-version", "anthropic-beta"}),
    headers={"anthropic-version": "2023-06-01"},
    capabilities=Capabilities(stream_usage=True, tools=True, stored_responses=True),
    failure=failure,
    source=(
        "https://docs.aws.amazon.com/bedrock/latest/userguide/inference-responses-api.html, "
        "read 2026-11-28"
    ),
)

EMBED: Final = Provider(
    name="bedrock-embed",
    title="Amazon Bedrock (embeddings by InvokeModel)",
    base_url=None,
    base_form=_HOST,
    credential=_RUNTIME,
    key_variables=_VARIABLES,
    paths={Operation.INVOKE_EMBED: "/model/{model}/invoke"},
    failure=failure,
    source=(
        "https://docs.aws.amazon.com/bedrock/latest/userguide/"
        "model-parameters-titan-embed-text.html, read 2026-11-28"
    ),
)
