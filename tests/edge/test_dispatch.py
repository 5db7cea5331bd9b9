"""What is neither a request for a model nor a page goes to whoever serves it."""

from types import SimpleNamespace

import pytest

from edge.wires import asked
from trivium.edge import dispatch, listing
from trivium.edge.routes import Explain, File, Listing, Page
from trivium.pipeline.structs import Stored, VideoCall

SERVICES = SimpleNamespace(assets=object())


@pytest.mark.parametrize(
    ("target", "by"),
    [
        (Stored(response_id="resp_1", action="retrieve"), "serve"),
        (VideoCall(action="list"), "serve"),
        (Explain(), "serve"),
        (File(asset_id="a"), "serve"),
    ],
)
def test_what_takes_time_is_returned_to_be_run(target, by):
    """Nothing of it has been done."""
    work = dispatch.serve(asked(), target, SERVICES)
    assert by == work.__name__
    work.close()


def test_a_listing_is_answered_at_once(monkeypatch):
    """From memory."""
    seen = []
    monkeypatch.setattr(listing, "answer", lambda *given: seen.append(given))
    target, exchange = Listing(google=False), asked()
    assert dispatch.serve(exchange, target, SERVICES) is None
    assert [(exchange, target, SERVICES)] == seen


def test_a_page_is_not_served_here():
    """The pages plane does."""
    assert dispatch.serve(asked(), Page(), SERVICES) is None
