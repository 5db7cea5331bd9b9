"""The example of the docs, run as the docs say: log in, see the balance, revoke, see it fail."""

import contextlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from stories.oauth.browsing import NAME, PASSWORD, Browser
from stories.running import START_S

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "oauth-client"


@pytest.fixture
def shop(service, tmp_path):
    """The example's address."""
    app, secret = service.shop
    environ = os.environ | {
        "GATEWAY": service.origin,
        "CLIENT_ID": app.client_id,
        "CLIENT_SECRET": secret,
        "REDIRECT_URI": app.redirect_uri,
    }
    argv = [sys.executable, "-m", "uvicorn", "app:app", "--port", str(service.shop_port)]
    with (tmp_path / "shop.log").open("wb") as log:
        process = subprocess.Popen(argv, cwd=EXAMPLE, env=environ, stdout=log, stderr=log)
    origin = f"http://127.0.0.1:{service.shop_port}"
    try:
        deadline = time.monotonic() + START_S
        while True:
            assert process.poll() is None, (tmp_path / "shop.log").read_text()
            assert time.monotonic() < deadline
            with contextlib.suppress(httpx.TransportError):
                httpx.get(origin)
                break
            time.sleep(0.05)
        yield origin
    finally:
        process.terminate()
        process.wait()


def test_the_walk_of_the_docs(service, shop):
    """Every step of it, with the answers that the page shows."""
    with Browser(service.origin) as browser:

        def followed(url):
            while True:
                answer = browser.client.get(url)
                if not answer.is_redirect:
                    return answer
                url = str(answer.url.join(answer.headers["location"]))

        page = followed(shop)
        place = parse_qs(urlsplit(str(page.url)).query)["for"][0]
        entered = browser.sent(page, "/login", name=NAME, password=PASSWORD, place=place)
        page = followed(service.origin + entered.headers["location"])
        sent = browser.sent(page, page.url.path, answer="allow")
        told = followed(sent.headers["location"]).json()
        assert ("ada", "ada@example.org", "2.50") == (
            told["username"], told["email"], told["balance_formatted"],
        )  # fmt: skip
        page = followed(f"{service.origin}/account/applications")
        card = page.text.partition("Example")[2]
        path = re.search(r'action="(/account/applications/\d+/revoke)"', card)[1]
        assert 303 == browser.sent(page, path).status_code
        answer = browser.client.get(shop)
        assert (401, "invalid_token") == (answer.status_code, answer.json()["error"])
