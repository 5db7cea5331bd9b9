"""What a vendor's refusal means to us, and what the caller may read of it.

Decided from structured codes first, from the status second, and from words only where vendors leave
nothing else (``_TEXTS`` says which vendor). The result is one :class:`Fault`; its kind decides
status, fallback and blame in one table, so nothing here does.

* The vendor's 401 and 402, and a 429 that says the money is gone, are about *our* account:
  never the caller's 401, and worth another channel.
* A model the vendor does not know is our configuration too: the caller asked for a public name that
  exists. It is blamed on the account (another channel may do better, the same call will not) and
  reported as an upstream error, not as the caller's 404. So is any other 403; but these say nothing
  of the key itself, which other models go on using.
* 400, 404, 413 and 422 stay the caller's, with the vendor's explanation cleaned by
  ``error_text.py``. 409 and 422 come out as 400: SDKs retry a 409 unasked, and 422 is not in our
  vocabulary.
* 501 is the request's (the engine lacks the feature): as a 5xx it would be retried for ever.
* A page of HTML was written by something in front of the vendor. It says nothing about the request.

Sources: the vendors' error pages and SDKs as collected in the fixtures of the tests, 2026-11-21.
"""

import math
import re
from typing import Final

from trivium.faults import Fault, Kind
from trivium.providers.base import VendorRefusal
from trivium.providers.error_body import ErrorFacts, read
from trivium.providers.error_text import leading_member, member, public
from trivium.providers.retry_after import reset_after, retry_after
from trivium.wire.errors import RETRY_AFTER_MAX_S, too_long

_MODEL_CODES: Final = frozenset({
    "model_not_found", "model_not_available", "invalid_model", "deploymentnotfound",
    "model_not_exist",
})  # fmt: skip
_CODES: Final[tuple[tuple[Kind, frozenset[str]], ...]] = (
    (
        Kind.CONTENT_POLICY,
        frozenset({
            "content_policy_violation", "content_filter", "content_filtered", "moderation_blocked",
            "image_content_policy_violation", "responsibleaipolicyviolation", "bio_policy",
            "misalignment_policy_violation", "data_inspection_failed", "datainspectionfailed",
            "prohibited_content",
        }),
    ),
    (
        Kind.CONTEXT_TOO_LONG,
        frozenset({
            "context_length_exceeded", "exceed_context_size_error", "context_window_exceeded",
            "model_context_window_exceeded", "prompt_too_long",
        }),
    ),
    (
        Kind.UPSTREAM_CREDENTIAL,
        frozenset({
            # the money is gone
            "insufficient_quota", "credit_balance_exhausted", "project_spend_limit_exceeded",
            "organization_spend_limit_exceeded", "organization_usage_limit_exceeded",
            "billing_hard_limit_reached", "billing_not_active", "billing_error",
            "insufficient_balance", "payment_required", "exceeded_current_quota_error",
            "arrearage",
            # the key, the account, its region
            "invalid_api_key", "api_key_invalid", "expired_api_key", "authentication_error",
            "invalid_authentication_error", "unauthenticated", "invalid_organization",
            "account_deactivated", "access_terminated",
            "unsupported_country_region_territory",
            # Google's google.api.ErrorReason, which comes with a 403 PERMISSION_DENIED
            "service_disabled", "billing_disabled", "consumer_suspended", "consumer_invalid",
            "api_key_service_blocked", "api_key_http_referrer_blocked",
            "api_key_ip_address_blocked", "api_key_android_app_blocked", "api_key_ios_app_blocked",
            "account_state_invalid", "access_token_expired", "access_token_scope_insufficient",
            "access_token_type_unsupported", "credentials_missing", "user_project_denied",
            "resource_project_invalid",
        }),
    ),
    (
        # the model, or something in the request, is not ours to use: see above
        Kind.UPSTREAM_DENIED,
        _MODEL_CODES | {"permission_denied", "permission_error"},
    ),
    (
        Kind.UPSTREAM_OVERLOADED,
        frozenset({
            "overloaded_error", "server_is_overloaded", "slow_down", "service_unavailable_error",
            "service_unavailable", "unavailable", "unavailable_error", "engine_overloaded_error",
            "engine_overloaded", "model_overloaded", "serveroverloaded",
        }),
    ),
    (
        Kind.UPSTREAM_RATE_LIMITED,
        frozenset({
            "rate_limit_exceeded", "rate_limit_error", "rate_limited", "resource_exhausted",
            "rate_limit_reached_error", "too_many_requests", "throttling",
        }),
    ),
    (Kind.UPSTREAM_TIMEOUT, frozenset({"timeout_error", "deadline_exceeded", "upstream_timeout"})),
    (Kind.UNREPRESENTABLE, frozenset({"not_supported_error", "unimplemented"})),
)  # fmt: skip
_REQUEST: Final = frozenset({400, 404, 409, 413, 422})
"""Statuses by which a vendor blames the request."""
_KEPT: Final = {404: 404, 413: 413}
"""Statuses of those that reach the caller; the others come out as 400."""
_CODE: Final = {404: "not_found", 413: "request_too_large"}
"""Their own codes: what clients compare is the code, and a 404 is no ``invalid_value``."""

_OVERFLOW: Final = re.compile(
    r"context (?:length|window|size|limit)|maximum context|prompt is too long|input is too long"
    r"|exceeds the (?:available context|maximum number of tokens)"
    # Cohere; its "max tokens must be less" is of the answer
    r"|too many tokens: (?:size limit|total number|minimal context)"
    r"|input tokens exceed|reduce the length of the (?:messages|prompt|input)",
    re.IGNORECASE,
)
_NO_MODEL: Final = re.compile(
    r"^models?[:/ ]|\bmodel\b.{0,200}?\b(?:not (?:be )?found|not exist|not available)"
    # Vertex AI, of a model that this region does not have
    r"|^requested entity was not found",
    re.IGNORECASE | re.DOTALL,
)
_NO_ROUTE: Final = re.compile(
    r"^(?:\S* ?)?(?:file |page |path |route )?not found\.?$|^404\b|^invalid url|unknown request url"
    r"|^no route|^unknown (?:path|endpoint|url)",
    re.IGNORECASE,
)
_TEXTS: Final[tuple[tuple[re.Pattern[str], Kind], ...]] = (
    # Anthropic: 400 invalid_request_error when the operator's account is empty
    (
        re.compile(r"credit balance|insufficient (?:balance|credits?|funds)", re.IGNORECASE),
        Kind.UPSTREAM_CREDENTIAL,
    ),
    # Google: 400 INVALID_ARGUMENT or FAILED_PRECONDITION for a bad key and a barred region
    (
        re.compile(r"^api key (?:not valid|expired|not found)|user location is not", re.IGNORECASE),
        Kind.UPSTREAM_CREDENTIAL,
    ),
    # Vertex AI: 400 FAILED_PRECONDITION for a model that the region, the project or the
    # organisation does not have
    (
        re.compile(
            r"\bis not servable in region|\bis not allowed to use publisher model"
            r"|\borganization policy constraint|\bviolated one or more org policies",
            re.IGNORECASE,
        ),
        Kind.UPSTREAM_DENIED,
    ),
    # llama.cpp: 500 server_error for what the model cannot take, and for what is missing
    (re.compile(r"^(?:image|audio|video) input is not supported"), Kind.UNREPRESENTABLE),
    (re.compile(r"^'(\w+)' is required$"), Kind.MISSING_MEMBER),
)
_VOCABULARY: Final = frozenset({
    "invalid_value", "missing_required_parameter", "unknown_parameter", "unsupported_parameter",
    "unsupported_value", "invalid_type", "invalid_json", "previous_response_not_found",
    "integer_below_min_value", "integer_above_max_value", "decimal_below_min_value",
    "decimal_above_max_value", "string_above_max_length", "invalid_image_url", "invalid_image",
})  # fmt: skip
"""Codes of refused requests that clients know; any other vendor's code says nothing to them."""

_STATUS: Final = {
    401: Kind.UPSTREAM_CREDENTIAL,
    402: Kind.UPSTREAM_CREDENTIAL,
    403: Kind.UPSTREAM_DENIED,
    408: Kind.UPSTREAM_TIMEOUT,
    410: Kind.UPSTREAM_DENIED,  # a model that was retired
    429: Kind.UPSTREAM_RATE_LIMITED,
    501: Kind.UNREPRESENTABLE,
    503: Kind.UPSTREAM_OVERLOADED,
    504: Kind.UPSTREAM_TIMEOUT,
    522: Kind.UPSTREAM_TIMEOUT,  # Cloudflare: no connection to the origin in time
    524: Kind.UPSTREAM_TIMEOUT,  # Cloudflare: no answer from the origin in time
    529: Kind.UPSTREAM_OVERLOADED,
}
"""What the other statuses mean; any that is missing is the vendor's failure."""

_OWN_WORDS: Final = frozenset(
    {Kind.UPSTREAM_CREDENTIAL, Kind.UPSTREAM_DENIED, Kind.UNREPRESENTABLE}
)
"""What only the vendor itself can say, and no firewall or proxy in front of it."""

_OURS: Final = {
    Kind.UPSTREAM_CREDENTIAL: "The upstream did not accept the gateway's account.",
    Kind.UPSTREAM_DENIED: "The upstream does not let the gateway's account do this.",
    Kind.UPSTREAM_OVERLOADED: "The upstream is overloaded.",
    Kind.UPSTREAM_RATE_LIMITED: "The upstream's rate limit is reached.",
    Kind.UPSTREAM_TIMEOUT: "The upstream did not answer in time.",
    Kind.UPSTREAM_BROKE: "The upstream failed to answer this request.",
}
"""Texts of faults that are not the caller's: nothing of the vendor's words is shown."""
_NO_SUCH_MODEL: Final = "The upstream does not offer the model that this gateway asks it for."
_NO_SUCH_ADDRESS: Final = "The upstream does not know the address that this gateway calls."
_THEIRS: Final = {
    Kind.CONTENT_POLICY: "The upstream refused this request under its content policy.",
    Kind.UNREPRESENTABLE: "The upstream does not support what this request asks for.",
    Kind.UPSTREAM_REJECTED: "The upstream rejected this request without a reason we can show.",
}
"""Texts of faults about the request where the vendor's own words cannot be shown."""

_PHRASES: Final = frozenset(
    {
        "bad request",
        "not found",
        "conflict",
        "length required",
        "payload too large",
        "request entity too large",
        "content too large",
        "uri too long",
        "unsupported media type",
        "unprocessable entity",
        "unprocessable content",
        "internal server error",
        "not implemented",
    }
)
_PHRASE_MAX: Final = 64


def default_failure(refusal: VendorRefusal) -> Fault:
    """The fault behind a refusal of any vendor that has no ways of its own."""
    told = read(refusal.body)
    wait = retry_after(refusal.headers, told.delay, told.message)
    if refusal.status == 429:
        # of two deadlines the later holds: before it the vendor would only refuse again
        reset = reset_after(refusal.headers)
        wait = max((one for one in (wait, reset) if one is not None), default=None)
    return _fault(refusal.status, told, wait)


def error_event(error: bytes) -> Fault:
    """The fault behind an ``error`` object that came inside a 200 answer or a stream.

    There is no status to go by but the one the object may claim itself; without any clue it is the
    vendor's failure.
    """
    told = read(error)
    return _fault(told.status or 500, told, retry_after({}, told.delay, told.message))


def _fault(status: int, told: ErrorFacts, wait: float | None) -> Fault:
    kind = _kind(status, told)
    if kind not in _OURS:
        return _about_request(kind, status, told)
    text = _OURS[kind]
    if kind is Kind.UPSTREAM_DENIED and _is_about_model(status, told):
        text = _NO_SUCH_MODEL
    elif kind is Kind.UPSTREAM_BROKE and status in (404, 405):
        text = _NO_SUCH_ADDRESS
    elif kind is Kind.UPSTREAM_RATE_LIMITED and wait is not None and wait <= RETRY_AFTER_MAX_S:
        # Codex-family clients read the delay out of the text
        text = f"{text} Please try again in {math.ceil(wait)}s."
    return Fault(kind, text, retry_after=wait)


def _about_request(kind: Kind, status: int, told: ErrorFacts) -> Fault:
    """The faults whose explanation is the vendor's, as far as it may be shown."""
    words = "" if told.page or _is_phrase(told.message) else public(told.message)
    if kind is Kind.CONTEXT_TOO_LONG:
        return Fault(kind, too_long(words))
    if kind is Kind.MISSING_MEMBER:
        name = told.message.split("'")[1]
        return Fault(kind, f"`{name}` is required.", param=name)
    param = member(told.param) or leading_member(told.message)
    if kind is not Kind.UPSTREAM_REJECTED:
        return Fault(kind, words or _THEIRS[kind], param=param)
    known = min(told.codes & _VOCABULARY, default=None)
    code = known if known and status != 413 else _CODE.get(status)
    return Fault(kind, words or _THEIRS[kind], param=param, code=code, status=_KEPT.get(status))


def _is_phrase(message: str) -> bool:
    """Whether a text is nothing but the name of a status, as servers in front write it."""
    words = message[:_PHRASE_MAX].strip(" .\r\n").lower()
    return words.removeprefix("error").lstrip(" :-0123456789") in _PHRASES


def _kind(status: int, told: ErrorFacts) -> Kind:
    for kind, codes in _CODES:
        if told.codes & codes:
            return kind
    if status in _REQUEST or status == 500:
        for pattern, kind in _TEXTS:
            if pattern.search(told.message):
                return kind
    if status in _REQUEST:
        return _request_kind(status, told)
    kind = _STATUS.get(status, Kind.UPSTREAM_BROKE)
    if told.page and kind in _OWN_WORDS:
        # the word of a firewall or proxy in front, not of the vendor
        return Kind.UPSTREAM_BROKE
    return kind


def _request_kind(status: int, told: ErrorFacts) -> Kind:
    """The vendor blames the request; sometimes it is our address, our model name or a proxy."""
    if _OVERFLOW.search(told.message):
        return Kind.CONTEXT_TOO_LONG
    if told.page:
        return Kind.UPSTREAM_BROKE
    if status == 404:
        if _NO_MODEL.search(told.message):
            return Kind.UPSTREAM_DENIED
        unrouted = "unknown_url" in told.codes or _NO_ROUTE.search(told.message)
        if unrouted or not told.structured or not told.message:
            return Kind.UPSTREAM_BROKE
    return Kind.UPSTREAM_REJECTED


def _is_about_model(status: int, told: ErrorFacts) -> bool:
    if told.codes & _MODEL_CODES:
        return True
    return status == 410 or (status == 404 and bool(_NO_MODEL.search(told.message)))
