"""The application: what is answered where nothing is, and when something breaks."""

import msgspec
import pytest
from starlette.routing import Route

from console.visiting import Seen, visiting
from trivium.console import app
from trivium.storage.errors import StorageDown

TITLES = {
    403: "This is not for you",
    404: "There is nothing here",
    405: "This address works differently",
    500: "Something went wrong on our side",
    503: "We will be back in a moment",
}


@pytest.fixture
def broken(monkeypatch):
    """Pages that end in every way, and an endpoint that breaks."""

    async def breaks(_):
        raise LookupError("password=hunter2")

    async def without(_):
        raise StorageDown("no route to 10.1.2.3")

    async def fine(_):
        return None

    pages = (
        Route("/account/broken", breaks),
        Route("/account/down", without),
        Route("/account/post", fine, methods=["POST"]),
    )
    monkeypatch.setattr(app, "PAGES", (*app.PAGES, *pages))


ENDS = [
    ("/account/none", 404, "unknown_url"),
    ("/account/post", 405, "method_not_allowed"),
    ("/account/broken", 500, "internal_error"),
    ("/account/down", 503, "internal_error"),
]


@pytest.mark.asyncio
@pytest.mark.parametrize(("path", "status", "code"), ENDS)
async def test_people_get_a_page_that_says_what_happened(database, broken, path, status, code):
    """With the request id, and nothing of the cause."""
    async with visiting(database) as visitor:
        answer = await visitor.get(path)
        seen = Seen(answer.text)
        assert (status, "text/html; charset=utf-8") == (
            answer.status_code, answer.headers["content-type"],
        )  # fmt: skip
        assert TITLES[status] in seen.text
        assert "req_test" in seen.text
        assert not {"hunter2", "10.1.2.3", code} & set(seen.text.split())


@pytest.mark.asyncio
@pytest.mark.parametrize(("path", "status", "code"), ENDS)
async def test_programs_get_our_error_body(database, broken, path, status, code):
    """The same everywhere on the gateway."""
    async with visiting(database) as visitor:
        answer = await visitor.get(path, accept="application/json")
        told = msgspec.json.decode(answer.content)
        assert (status, code, "req_test") == (
            answer.status_code, told["error"]["code"], told["request_id"],
        )  # fmt: skip
        assert "hunter2" not in answer.text
        assert (status == 404) == (f"There is nothing at {path}." in told["error"]["message"])


@pytest.mark.asyncio
async def test_a_method_that_is_not_taken_is_told_which_are(database, broken):
    """As HTTP wants it."""
    async with visiting(database) as visitor:
        assert "POST" == (await visitor.get("/account/post")).headers["allow"]


def test_every_page_and_endpoint_has_a_path_of_its_own():
    """Parts are put together without one hiding another."""
    every = [
        (route.path, method)
        for route in (*app.PAGES, *app.ENDPOINTS)
        for method in route.methods or ()
    ]
    assert len(every) == len(set(every))
