"""What stores share: a limit of time, and a word on what is not installed."""

import threading
import time

import pytest

from trivium.settings.secret_stores.store import (
    ANSWER_BYTES_MAX,
    LEFT_BEHIND_MAX,
    StoreError,
    bounded,
    collected,
    missing_library,
    told,
)


def test_a_result_and_an_error_come_through():
    """The thread is nobody's business."""

    def fails():
        raise KeyError("x")

    assert 7 == bounded(lambda: 7, 5)
    with pytest.raises(KeyError):
        bounded(fails, 5)


def test_what_is_not_installed_is_named():
    """With the extra that brings it."""
    error = missing_library("hvac", "vault")
    assert "needs the package hvac" in str(error)
    assert "pip install 'trivium[vault]'" in str(error)
    assert error.whole
    assert not StoreError("x").whole


def none_left():
    """Wait until every call that was left behind has ended."""
    until = time.monotonic() + 20
    while [each for each in threading.enumerate() if each.name == "secret-store"]:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_store_that_drips_has_few_threads():
    """Each reading of the settings leaves one behind; when they have ended, it is asked again."""
    end = threading.Event()
    none_left()
    try:
        for _ in range(LEFT_BEHIND_MAX):
            with pytest.raises(StoreError, match="did not answer"):
                bounded(end.wait, 0.01)
        before = threading.active_count()
        for _ in range(20):
            with pytest.raises(
                StoreError, match="is not asked: earlier calls still wait"
            ) as caught:
                bounded(end.wait, 0.01)
        assert before == threading.active_count()
        assert caught.value.whole
    finally:
        end.set()
    none_left()
    assert 7 == bounded(lambda: 7, 5)


@pytest.mark.parametrize(
    ("said", "line"),
    [("no", "no"), ("a\r\n\x1b[2Jb", "a [2Jb"), ("\u202eschl\u00fcssel", "schl ssel"), ("x" * 9_000, "x" * 200),
     (None, ""), (7, ""), ({"a": 1}, ""), (b"x", "")],
)  # fmt: skip
def test_what_a_store_says_is_one_short_line(said, line):
    """It goes to the log and to terminals."""
    assert line == told(said)


def test_no_more_is_read_than_a_secret_may_be_long():
    """Not even of what never ends."""
    pieces = iter(lambda: b"x" * 65_536, b"")
    with pytest.raises(StoreError, match=f"above {ANSWER_BYTES_MAX} bytes"):
        collected(pieces)
    assert b"ab" == collected([b"a", b"b"])
