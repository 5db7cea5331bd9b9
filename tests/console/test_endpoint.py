"""Routes for programs."""

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount
from starlette.testclient import TestClient

from trivium.console.endpoint import Endpoint


async def fine(_):
    return PlainTextResponse("fine")


def test_another_method_is_refused_and_not_looked_for_elsewhere():
    """With what is allowed; other paths go on."""
    app = Starlette(routes=[Endpoint("/api/x", fine, methods=["POST"]), Mount("", routes=[])])
    client = TestClient(app)
    assert 200 == client.post("/api/x").status_code
    answer = client.get("/api/x")
    assert (405, "POST") == (answer.status_code, answer.headers["allow"])
    assert 404 == client.get("/api/y").status_code
