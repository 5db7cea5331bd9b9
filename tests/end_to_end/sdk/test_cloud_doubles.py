"""The vendors' own SDKs take the doubles for the clouds, and are refused where the clouds refuse."""

import warnings

import anthropic
import pytest
from azure.core.pipeline.transport import RequestsTransport
from azure.identity import ClientSecretCredential, get_bearer_token_provider
from google.oauth2 import service_account
from openai import APIStatusError, AzureOpenAI, OpenAI

from end_to_end.test_clouds import CHAT, CLAUDE, EVENTS, GENERATED
from entra_double import API_KEY, CLIENT, COGNITIVE, FOUNDRY, SECRET, TENANT, EntraDouble
from google_double import LOCATION, PROJECT, SCOPE, GoogleDouble

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SyntaxWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    from google import genai
    from google.genai import errors, types

HI = [{"role": "user", "content": "Hi"}]


@pytest.fixture
def google():
    """A cloud whose models answer; tokens live as long as the SDKs need to trust them."""
    with GoogleDouble(life_s=3600) as cloud:
        cloud.answers = {
            "generateContent": (200, GENERATED), "streamGenerateContent": (200, [GENERATED]),
            "countTokens": (200, {"totalTokens": 9}), "chat": (200, CHAT),
            "rawPredict": (200, CLAUDE), "streamRawPredict": (200, EVENTS),
        }  # fmt: skip
        yield cloud


def signed(cloud, **changes):
    """A service account's credentials as Google's library has them."""
    return service_account.Credentials.from_service_account_info(
        cloud.key_file() | changes, scopes=[SCOPE]
    )


def test_google_genai(google):
    """With credentials, on Vertex AI: answers, streams, counts, and refusals."""
    client = genai.Client(
        vertexai=True, project=PROJECT, location=LOCATION, credentials=signed(google),
        http_options=types.HttpOptions(base_url=google.address, api_version="v1"),
    )  # fmt: skip
    asked = {"model": "gemini-x", "contents": "Hi"}
    assert "Ho" == client.models.generate_content(**asked).text
    assert ["Ho"] == [chunk.text for chunk in client.models.generate_content_stream(**asked)]
    assert 9 == client.models.count_tokens(**asked).total_tokens
    (path, _, who), *_ = google.models
    assert f"/v1/projects/{PROJECT}/locations/{LOCATION}/publishers/google/models" in path
    assert "gateway@acme-prod.iam.gserviceaccount.com" == who
    google.answers.pop("countTokens")
    with pytest.raises(errors.ClientError, match="was not found or your project"):
        client.models.count_tokens(**asked)
    google.revoke()
    with pytest.raises(errors.ClientError, match="UNAUTHENTICATED"):
        client.models.generate_content(**asked)


def test_anthropic_on_vertex(google):
    """Claude by rawPredict, whole and streamed."""
    client = anthropic.AnthropicVertex(
        region=LOCATION, project_id=PROJECT, credentials=signed(google),
        base_url=f"{google.address}/v1", max_retries=0,
    )  # fmt: skip
    asked = {"model": "claude-x@20260101", "max_tokens": 9, "messages": HI}
    assert "Ho" == client.messages.create(**asked).content[0].text
    with client.messages.stream(**asked) as stream:
        assert "Ho" == stream.get_final_text()
    google.revoke()
    with pytest.raises(anthropic.AuthenticationError):
        client.messages.create(**asked)


def test_openai_on_vertex(google):
    """Models of others by the address that OpenAI's client is given there."""
    token = google.issue("somebody")
    base_url = f"{google.base_url()}/endpoints/openapi"
    client = OpenAI(base_url=base_url, api_key=token, max_retries=0)
    answer = client.chat.completions.create(model="meta/llama-x-maas", messages=HI)
    assert "Ho" == answer.choices[0].message.content


@pytest.fixture
def azure(tmp_path):
    """Another cloud."""
    with EntraDouble(tmp_path, life_s=3600) as cloud:
        cloud.answers = {"/chat/completions": (200, CHAT), "/v1/messages": (200, CLAUDE)}
        yield cloud


def provider(cloud, audience, secret=SECRET):
    """What the SDKs are given for tokens."""
    credential = ClientSecretCredential(
        TENANT, CLIENT, secret, authority=cloud.authority, disable_instance_discovery=True,
        transport=RequestsTransport(connection_verify=cloud.ca_file), retry_total=0,
    )  # fmt: skip
    return get_bearer_token_provider(credential, f"{audience}/.default")


def test_openai_on_azure(azure):
    """Deployments with a token, with a key, and what is refused."""
    door = {"azure_endpoint": azure.machine, "api_version": "2024-10-21", "max_retries": 0}
    asked = {"model": "gpt-x", "messages": HI}
    client = AzureOpenAI(**door, azure_ad_token_provider=provider(azure, COGNITIVE))
    assert "Ho" == client.chat.completions.create(**asked).choices[0].message.content
    keyed = AzureOpenAI(**door, api_key=API_KEY)
    assert "Ho" == keyed.chat.completions.create(**asked).choices[0].message.content
    other = AzureOpenAI(**door, azure_ad_token_provider=provider(azure, FOUNDRY))
    with pytest.raises(APIStatusError, match="audience is incorrect"):
        other.chat.completions.create(**asked)
    with pytest.raises(Exception, match="AADSTS7000215"):
        provider(azure, COGNITIVE, "wrong")()


def test_anthropic_in_foundry(azure):
    """With a token for Foundry, and with a key."""
    asked = {"model": "claude-x", "max_tokens": 9, "messages": HI}
    base_url = f"{azure.machine}/anthropic"
    for who in ({"azure_ad_token_provider": provider(azure, FOUNDRY)}, {"api_key": API_KEY}):
        client = anthropic.AnthropicFoundry(base_url=base_url, max_retries=0, **who)
        assert "Ho" == client.messages.create(**asked).content[0].text
