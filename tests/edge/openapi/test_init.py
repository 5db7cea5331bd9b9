"""The gateway's description of itself: well-formed, complete, and what the specification lists."""

import json
import re
import subprocess
import sys

import pytest

from trivium.edge import openapi
from trivium.oauth.admin.routes import SCOPES

SPECIFIED = {
    ("POST", "/v1/videos"): "createVideo",
    ("GET", "/v1/videos/{video_id}"): "GetVideo",
    ("DELETE", "/v1/videos/{video_id}"): "DeleteVideo",
    ("GET", "/v1/videos/{video_id}/content"): "RetrieveVideoContent",
    ("POST", "/v1/videos/{video_id}/remix"): "CreateVideoRemix",
    ("POST", "/v1/chat/completions"): "createChatCompletion",
    ("POST", "/v1/responses"): "createResponse",
    ("POST", "/v1/completions"): "createCompletion",
    ("POST", "/v1/embeddings"): "createEmbedding",
    ("POST", "/v1/moderations"): "createModeration",
    ("POST", "/v1/images/generations"): "createImage",
    ("POST", "/v1/audio/speech"): "createSpeech",
    ("POST", "/v1/audio/transcriptions"): "createTranscription",
    ("POST", "/v1/audio/translations"): "createTranslation",
    ("POST", "/v1/messages"): "messages_post",
    ("POST", "/vendorc/v1beta/models/{model}:generateContent"): "generateContent",
}
"""Operations whose names the specification 3.5.0 fixes, as far as they are served now."""

BESIDES = {
    ("POST", "/model/{model}/converse"),
    ("POST", "/model/{model}/converse-stream"),
    ("POST", "/v1/rerank"),
    ("POST", "/v2/rerank"),
    ("POST", "/v2/chat"),
    ("POST", "/v2/embed"),
    ("POST", "/v1/images/edits"),
    ("POST", "/v1/images/variations"),
    ("GET", "/v1/responses/{response_id}"),
    ("DELETE", "/v1/responses/{response_id}"),
    ("POST", "/v1/responses/{response_id}/cancel"),
    ("GET", "/v1/responses/{response_id}/input_items"),
    ("POST", "/v1/responses/input_tokens"),
    ("POST", "/v1/messages/count_tokens"),
    ("GET", "/v1/videos"),
    ("POST", "/vendorc/v1beta/models/{model}:streamGenerateContent"),
    ("POST", "/vendorc/v1beta/models/{model}:countTokens"),
    ("POST", "/vendorc/v1beta/models/{model}:embedContent"),
    ("POST", "/vendorc/v1beta/models/{model}:batchEmbedContents"),
    ("GET", "/v1/models"),
    ("GET", "/v1/models/{model}"),
    ("GET", "/vendorc/v1beta/models"),
    ("GET", "/vendorc/v1beta/models/{model}"),
    ("POST", "/api/explain"),
    ("POST", "/api/oauth_apps"),
    ("GET", "/api/oauth2/authorize"),
    ("POST", "/api/oauth2/token"),
    ("GET", "/api/oauth2/userinfo"),
    ("GET", "/api/oauth2/topup"),
    ("POST", "/api/oauth2/revoke"),
    ("POST", "/api/oauth2/spend_key"),
    ("GET", "/.well-known/oauth-authorization-server"),
    *SCOPES,
    *(
        (method, f"/scim/v2/{path}")
        for path, methods in {
            "ServiceProviderConfig": "GET",
            "ResourceTypes": "GET",
            "ResourceTypes/{id}": "GET",
            "Schemas": "GET",
            "Schemas/{id}": "GET",
            "Users": "GET POST",
            "Users/{id}": "GET PUT PATCH DELETE",
            "Groups": "GET POST",
            "Groups/{id}": "GET PUT PATCH DELETE",
        }.items()
        for method in methods.split()
    ),
    ("GET", "/assets/{asset_id}"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
}

STREAMED = {
    "cohereChat",
    "createChatCompletion",
    "createResponse",
    "createCompletion",
    "createSpeech",
    "createTranscription",
    "messages_post",
    "streamGenerateContent",
    "createImage",
    "createImageEdit",
}


@pytest.fixture(scope="module")
def document():
    return json.loads(openapi.document())


@pytest.fixture(scope="module")
def operations(document):
    return {
        (method.upper(), path): operation
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }


def refs(node):
    """Every reference below a node."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name == "$ref":
                yield value
            else:
                yield from refs(value)
    elif isinstance(node, list):
        for value in node:
            yield from refs(value)


def find(document, reference):
    """What a reference points to; raises KeyError when there is nothing."""
    assert reference.startswith("#/")
    for step in reference.removeprefix("#/").split("/"):
        document = document[step]
    return document


def test_it_is_the_version_the_specification_names(document):
    """Interface description 3.5.0, written in OpenAPI 3.1.0."""
    assert ("3.1.0", "3.5.0") == (document["openapi"], document["info"]["version"])


def test_it_lists_what_is_served(operations):
    """Neither less nor more."""
    shapes = {key for key, operation in operations.items() if ["clouds"] != operation["tags"]}
    assert set(SPECIFIED) | BESIDES == shapes
    assert set(operations) == openapi.served()


def test_operations_bear_the_specified_names(operations):
    """Generated clients have methods of these names."""
    named = {key: operation["operationId"] for key, operation in operations.items()}
    assert SPECIFIED == {key: named[key] for key in SPECIFIED}
    assert len(named) == len(set(named.values()))


def test_every_reference_resolves(document):
    """No dead end for a generator."""
    found = set(refs(document))
    assert found
    for reference in found:
        assert find(document, reference)


def test_every_component_is_used(document):
    """Nothing is described that no operation has."""
    used, queue = set(), list(refs(document["paths"]))
    while queue:
        reference = queue.pop()
        if reference not in used:
            used.add(reference)
            queue += refs(find(document, reference))
    components = document["components"]
    present = {
        f"#/components/{kind}/{name}"
        for kind in ("schemas", "responses", "parameters")
        for name in components[kind]
    }
    assert present == used


def test_keys_are_asked_for_as_specified(document, operations):
    """Bearer everywhere under the chat shapes, two forms each for the other two shapes."""

    def keys(path):
        return {name for form in operations["POST", path]["security"] for name in form}

    assert {"gatewayBearer"} == keys("/v1/chat/completions") == keys("/v1/moderations")
    assert {"gatewayMessagesKey", "gatewayBearer"} == keys("/v1/messages")
    generate = keys("/vendorc/v1beta/models/{model}:generateContent")
    assert {"gatewayGenerateKey", "gatewayGenerateQuery"} == generate
    schemes = document["components"]["securitySchemes"]
    oauth = {"developerBearer", "oauthBearer", "oauthClient", "scimBearer"}
    admins = {"adminBearer", "adminMachine", "adminWorkload"}
    assert {
        "gatewayBearer",
        "gatewayMessagesKey",
        "gatewayDeploymentKey",
        *generate,
        *oauth,
        *admins,
    } == set(schemes)
    assert ("header", "x-api-key") == (
        schemes["gatewayMessagesKey"]["in"],
        schemes["gatewayMessagesKey"]["name"],
    )
    assert ("query", "key") == (
        schemes["gatewayGenerateQuery"]["in"],
        schemes["gatewayGenerateQuery"]["name"],
    )
    assert [] == operations["GET", "/healthz"]["security"]


def test_every_keyed_operation_may_fail_in_the_common_ways(document, operations):
    """Each with the one error body."""
    common = {"400", "401", "403", "404", "429", "5XX"}
    for operation in operations.values():
        # clients of every language read the OAuth service's own errors
        if operation["security"] and operation["tags"] not in (["oauth"], ["admin"], ["scim"]):
            assert common <= set(operation["responses"])
            for status in common:
                answer = find(document, operation["responses"][status]["$ref"])
                schema = answer["content"]["application/json"]["schema"]
                assert {"$ref": "#/components/schemas/GatewayError"} == schema


def test_streaming_operations_say_so(operations):
    """An event stream is an alternative exactly where one can be asked for."""
    streamed = {
        operation["operationId"]
        for operation in operations.values()
        if ["clouds"] != operation["tags"]
        and "text/event-stream" in operation["responses"].get("200", {}).get("content", {})
    }
    assert STREAMED == streamed


def test_path_parameters_are_declared(document, operations):
    """Each template variable has its parameter, and none is declared in vain."""
    for (_, path), operation in operations.items():
        declared = {
            parameter["name"]
            for entry in operation.get("parameters", [])
            if (parameter := find(document, entry["$ref"]))["in"] == "path"
        }
        templated = set(re.findall(r"{(\w+)}", path))
        assert templated == declared


def test_limits_of_the_specification_are_in_it(document):
    """Tool structures as the specification fixes them."""
    schemas = document["components"]["schemas"]
    assert ["mode", "tools"] == schemas["ChatCompletionAllowedTools"]["required"]
    assert ["auto", "required"] == (
        schemas["ChatCompletionAllowedTools"]["properties"]["mode"]["enum"]
    )
    choice = schemas["ChatCompletionAllowedToolsChoice"]
    assert "allowed_tools" == choice["properties"]["type"]["const"]
    functions = schemas["ChatCompletionFunctions"]
    assert (64, True) == (functions["properties"]["name"]["maxLength"], functions["deprecated"])
    assert ["id", "type", "custom"] == schemas["ChatCompletionMessageCustomToolCall"]["required"]
    headers = document["components"]["parameters"]
    assert {"vendor-version", "vendor-user-profile-id"} <= {p["name"] for p in headers.values()}


@pytest.mark.parametrize(
    ("public_url", "shown"),
    [
        (None, "/"),
        ("https://gateway.example", "https://gateway.example"),
        ("https://gateway.example/", "https://gateway.example"),
    ],
)
def test_the_server_is_the_address_clients_see(public_url, shown):
    """A generated client talks to the gateway it was generated from."""
    assert [{"url": shown}] == json.loads(openapi.document(public_url))["servers"]


def test_it_is_made_once():
    """Asking again costs nothing."""
    assert openapi.document() is openapi.document()


def test_nothing_is_loaded_until_it_is_asked_for():
    """The schemas are no part of starting."""
    script = (
        "import sys, trivium.edge.openapi as o\n"
        "print(sorted(m for m in sys.modules if m.startswith('trivium.edge.openapi.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/api/admin/keys/7", ("DELETE", "GET", "PATCH")),
        ("/api/oauth2/token", ("POST",)),
        ("/api/admin/users/7/keys", ("GET", "POST")),
        ("/account/keys", ()),
    ],
)
def test_methods_of_a_path_are_those_described(path, methods):
    """By its template."""
    assert methods == openapi.methods(path)
