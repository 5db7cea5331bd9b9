"""What a library asks goes by the gateway's client, and nothing of it is told."""

import pytest

from trivium.providers.credential import HttpReply, Surroundings
from trivium.providers.identities.errands import ANSWER_S, Errands, is_beside

TOKEN = "ya29.a0AfH6SMBx-0123456789_abcdefgh"
SECRET = "Ent8Q~client+secret/of_the-gateway"


def errands(status=200, body=b"{}"):
    """Those of one look-up, and what was asked."""
    seen = []

    def ask(asked, limit_s):
        seen.append((asked, limit_s))
        return HttpReply(status=status, headers={}, body=body)

    around = Surroundings(
        base_url="https://x.example",
        proxy=None,
        ca_file=None,
        limit_s=1,
        ask=ask,
        clock=lambda: 0.0,
    )
    return Errands(around), seen


def test_a_request_is_made_as_the_library_says():
    """Names of headers in lower case, texts as bytes."""
    made, seen = errands()
    made.send("POST", "https://t.example/token?a=b", {"X-Y": 3}, "a=b", 2.5)
    ((asked, limit_s),) = seen
    assert ("POST", "https://t.example/token?a=b", {"x-y": "3"}, b"a=b", True, 2.5) == (
        asked.method, asked.url, asked.headers, asked.body, asked.proxied, limit_s,
    )  # fmt: skip


@pytest.mark.parametrize("timeout_s", [None, 120])
def test_nobody_waits_for_ever(timeout_s):
    """A library's own limit may be shorter, never longer."""
    made, seen = errands()
    made.send("GET", "https://t.example/", timeout_s=timeout_s)
    assert ANSWER_S == seen[0][1]


@pytest.mark.parametrize(
    ("url", "beside"),
    [
        ("http://169.254.169.254/computeMetadata/v1/", True),
        ("http://metadata.google.internal/", True),
        ("http://METADATA.google.internal./", True),
        ("http://localhost:42356/msi/token", True),
        ("http://127.0.0.1:41000/msi/token", True),
        ("http://[fd00:ec2::254]/latest", True),
        ("http://[fe80::1]/x", True),
        ("https://oauth2.googleapis.com/token", False),
        ("https://10.0.0.7/token", False),
        ("https://[2606:4700::1]/token", False),
        ("https://metadata.google.internal.example/", False),
    ],
)
def test_which_services_run_beside_the_gateway(url, beside):
    """No proxy leads to them."""
    made, seen = errands()
    made.send("GET", url)
    assert (beside, not beside) == (is_beside(url), seen[0][0].proxied)


def test_what_a_form_names_as_secret_is_not_told():
    """Also where it looks like a word; what is no secret, or too short to be one, is."""
    made, _ = errands(400, b"{}")
    form = "client_secret=a-plain%2Bword&refresh_token=words-alone&client_id=who-asks&assertion=no"
    made.send("POST", "https://t.example/", {}, form)
    assert "no: … or … of … for who-asks" == made.cleaned(
        "no: a-plain%2Bword or a-plain+word of words-alone for who-asks"
    )


def test_what_went_out_is_not_told():
    """Whatever a service prints of it, as it was or encoded."""
    made, _ = errands(400, b"{}")
    made.send(
        "POST", "https://t.example/", {"Authorization": f"Bearer {TOKEN}"},
        "client_secret=Ent8Q%7Eclient%2Bsecret%2Fof_the-gateway&grant_type=x",
    )  # fmt: skip
    assert "bad … and … of iam.serviceAccounts.getAccessToken" == made.cleaned(
        f"bad {TOKEN} and {SECRET} of iam.serviceAccounts.getAccessToken"
    )


@pytest.mark.parametrize(
    "printed",
    [
        f"key={SECRET}", f"/{SECRET}/x", "x%Ent8Q%7Eclient%2Bsecret%2Fof_the-gateway%22", SECRET[:20],
        f"{SECRET[4:]}", f'{{"a":"{SECRET}"}}',
    ],
)  # fmt: skip
def test_nor_is_a_part_of_it(printed):
    """Cut short, or grown together with other words."""
    made, _ = errands(400)
    made.send("POST", "https://t.example/", body="s=Ent8Q%7Eclient%2Bsecret%2Fof_the-gateway-1&a=b")
    made.send("POST", "https://t.example/", {"x": SECRET + "-1"})
    told = made.cleaned(f"no {printed}-1 is known")
    assert ("client" in told, "secret" in told, told[:3], told[-9:]) == (
        False, False, "no ", " is known",
    ), told  # fmt: skip


def test_what_came_with_a_success_is_not_told():
    """A refusal's own words are."""
    made, _ = errands(200, b'{"access_token":"' + TOKEN.encode() + b'"}')
    made.send("GET", "https://t.example/")
    assert "no: …" == made.cleaned(f"no: {TOKEN}")
    refused, _ = errands(400, b'{"error":"AADSTS7000215-of-app-0123456789"}')
    refused.send("GET", "https://t.example/")
    words = "AADSTS7000215-of-app-0123456789"
    assert words == refused.cleaned(words)
