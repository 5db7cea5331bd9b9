"""The clouds' addresses in the description."""

import json

import pytest

from trivium.edge import openapi
from trivium.edge.cloud_routes import DEPLOYED, INVOKE, PREDICT
from trivium.edge.openapi.clouds import DEPLOYMENT, PLACE, moved
from trivium.edge.openapi.row import operations
from trivium.wire.generate.path import METHODS
from trivium.wire.operation import TABLE

GOOGLE = f"{PLACE}/publishers/google/models/{{model}}"


@pytest.fixture(scope="module")
def described():
    """(method, path) -> operation, of the clouds alone."""
    paths = json.loads(openapi.document())["paths"]
    return {
        (method.upper(), path): operation
        for path, item in paths.items()
        for method, operation in item.items()
        if operation["tags"] == ["clouds"]
    }


def test_every_address_of_a_cloud_is_described(described):
    """Each that the router knows, once."""
    posted = {f"/model/{{model}}/{action.decode()}" for action in INVOKE}
    posted |= {f"{PLACE}/publishers/anthropic/models/{{model}}:{method}" for method in PREDICT}
    posted |= {f"{GOOGLE}:{method}" for method in METHODS if method != "batchEmbedContents"}
    posted |= {
        DEPLOYMENT + path.removeprefix("/v1") for one in DEPLOYED for path in TABLE[one].paths
    }
    posted |= {
        f"{PLACE}/publishers/anthropic/models/count-tokens:rawPredict",
        f"{GOOGLE}:predict",
        f"{PLACE}/endpoints/openapi/chat/completions",
    }
    assert posted == {path for method, path in described if method == "POST"}


def test_streams_are_told_of(described):
    """Frames are no events."""
    content = described["POST", "/model/{model}/invoke-with-response-stream"]["responses"]["200"]
    assert ["application/vnd.amazon.eventstream"] == list(content["content"])
    deployed = described["POST", f"{DEPLOYMENT}/chat/completions"]["responses"]["200"]["content"]
    assert {"application/json", "text/event-stream"} == set(deployed)


def test_an_operation_moves_with_all_that_is_said_of_it(described):
    """But its place, its name and the ways to present a key."""
    row = operations("""
chat
POST /v1/chat/completions createChatCompletion "Answers." request=A answer=B event=C
""")
    (found,) = moved(row)
    assert ("deployedChatCompletion", "Answers.", "A", ("B",), "C") == (
        found.name, found.about, found.request, found.answer, found.event,
    )  # fmt: skip
    keys = described["POST", f"{DEPLOYMENT}/chat/completions"]["security"]
    assert [{"gatewayDeploymentKey": []}, {"gatewayBearer": []}] == keys
    assert () == moved(
        operations("""
chat
POST /v1/other other "Answers." request=A
""")
    )
