"""The table of faults is complete, and its rows agree with what clients do about them."""

import pickle
import re

import pytest

from trivium.faults import TABLE, Blame, Fault, Kind

ROWS = [pytest.param(kind, row, id=kind.value) for kind, row in TABLE.items()]

GOOGLE = {
    400: {"INVALID_ARGUMENT"},
    401: {"UNAUTHENTICATED"},
    403: {"PERMISSION_DENIED"},
    404: {"NOT_FOUND"},
    405: {"INVALID_ARGUMENT"},
    413: {"INVALID_ARGUMENT"},
    415: {"INVALID_ARGUMENT"},
    426: {"INVALID_ARGUMENT"},
    429: {"RESOURCE_EXHAUSTED"},
    431: {"INVALID_ARGUMENT"},
    499: {"INVALID_ARGUMENT"},
    500: {"INTERNAL"},
    502: {"UNAVAILABLE"},
    503: {"UNAVAILABLE"},
    504: {"DEADLINE_EXCEEDED"},
}
"""Google's canonical name for each status we answer (google.rpc.Code, read 2026-11-21)."""

TYPES = {
    "invalid_request_error": {400, 405, 415, 426, 431, 499},
    "authentication_error": {401},
    "permission_error": {403},
    "not_found_error": {404},
    "request_too_large": {413},
    "rate_limit_error": {429},
    "api_error": {500, 502},
    "overloaded_error": {503},
    "timeout_error": {504},
}
"""The Anthropic SDKs' vocabulary and the statuses each word goes with (2.8.0, read 2026-11-21)."""


def test_every_kind_has_a_row():
    """A new kind does not pass until somebody decided what follows from it."""
    assert set(Kind) == set(TABLE)


@pytest.mark.parametrize(("kind", "row"), ROWS)
def test_the_words_of_a_row_fit_its_status(kind, row):
    """Type and Google status say the same as the number."""
    assert row.google in GOOGLE[row.status]
    assert row.status in TYPES[row.type]
    assert re.fullmatch(r"[a-z_]+", row.code)


@pytest.mark.parametrize(("kind", "row"), ROWS)
def test_a_callers_mistake_is_neither_retried_elsewhere_nor_alarming(kind, row):
    """Another channel would refuse it too, and nobody is to be woken."""
    if row.blame is Blame.CALLER:
        assert (False, "info") == (row.fallback, row.level)
        assert row.status < 500


@pytest.mark.parametrize(("kind", "row"), ROWS)
def test_only_upstreams_faults_fall_back(kind, row):
    """Fallback is for what another account or vendor may do better, and for all of that.

    But for what may have been begun already: nobody is to make it twice.
    """
    if kind is Kind.UPSTREAM_UNSURE:
        assert not row.fallback
        return
    assert row.fallback == (row.blame in (Blame.CREDENTIAL, Blame.VENDOR))


@pytest.mark.parametrize(("kind", "row"), ROWS)
def test_no_status_makes_the_sdks_retry_unasked(kind, row):
    """The OpenAI and Anthropic SDKs retry 408 and 409 whatever the headers say."""
    assert row.status not in (408, 409)


@pytest.mark.parametrize(("kind", "row"), ROWS)
def test_levels_are_ones_the_log_has(kind, row):
    """Warnings are for operators to read, errors to act on; a caller's doing is neither."""
    assert row.level in {"info", "warning", "error"}


@pytest.mark.parametrize(
    "kind", [Kind.BALANCE_TOO_LOW, Kind.UPSTREAM_CREDENTIAL, Kind.REQUEST_TIMEOUT]
)
def test_what_time_does_not_heal_is_not_to_be_retried(kind):
    """An empty balance and a refused credential stay so for two more attempts."""
    assert TABLE[kind].retry is False


def test_a_fault_takes_code_and_status_from_its_row():
    """Nothing but the table decides them, unless the vendor's own is passed through."""
    fault = Fault(Kind.MODEL_UNKNOWN, "No model `x`.")
    assert (404, "model_not_found", None, None) == (
        fault.status,
        fault.code,
        fault.param,
        fault.retry_after,
    )
    own = Fault(Kind.UPSTREAM_REJECTED, "No.", code="string_too_long", status=422, param="input")
    assert (422, "string_too_long", "input") == (own.status, own.code, own.param)
    assert own.row is TABLE[Kind.UPSTREAM_REJECTED]


def test_a_fault_reads_well():
    """The text is the message alone; the repr names the kind."""
    fault = Fault(Kind.INVALID_VALUE, "`n` must be at least 1.", param="n")
    assert str(fault) == "`n` must be at least 1."
    assert repr(fault) == "Fault(INVALID_VALUE, '`n` must be at least 1.', param='n')"


def test_kinds_are_named_like_their_values():
    """Records and metrics use the value, code the name: one can be found from the other."""
    assert [] == [kind for kind in Kind if kind.value != kind.name.lower()]
    with pytest.raises(ValueError, match="nonsense"):
        Kind("nonsense")
    assert pickle.loads(pickle.dumps(Kind.INTERNAL)) is Kind.INTERNAL


@pytest.mark.parametrize(("kind", "row"), ROWS)
def test_only_what_may_be_tried_elsewhere_may_be_tried_again(kind, row):
    """And never a time-out, whose work may still be going on, nor a refused account."""
    if row.again:
        assert row.fallback
        assert kind not in (Kind.UPSTREAM_TIMEOUT, Kind.UPSTREAM_CREDENTIAL, Kind.UPSTREAM_DENIED)


def test_a_fault_may_say_itself_that_a_retry_would_pay_twice():
    """Otherwise its row says."""
    assert Fault(Kind.UPSTREAM_TIMEOUT, "x").retry is None
    assert Fault(Kind.UPSTREAM_TIMEOUT, "x", retry=False).retry is False
    assert Fault(Kind.UPSTREAM_CREDENTIAL, "x").retry is False


def test_a_fault_that_is_told_keeps_nothing_of_what_it_was_found_in():
    """A frame that it was raised in holds the request."""

    def read():
        try:
            raise ValueError("at byte 5")
        except ValueError:
            raise Fault(Kind.MALFORMED_JSON, "x") from None

    with pytest.raises(Fault) as found:
        read()
    fault = found.value
    assert fault.__traceback__ is not None
    assert fault.__context__ is not None
    fault.forget()
    assert (None, None, "x") == (fault.__traceback__, fault.__context__, fault.message)
