"""The service as it runs: over real sockets, with several at once, and without a trace of secrets."""

import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import httpx
import pytest

import warm
from end_to_end.oauth.browsing import CALLBACK
from end_to_end.running import TRIVIUM

SECRETS = re.compile(r"(?:gws|gwat|gwrt|gwac|gwdev|gwar)_[A-Za-z0-9_-]{43}")


def link(service, **changes):
    """Where an application sends its user."""
    given = {
        "client_id": service.app.client_id,
        "redirect_uri": CALLBACK,
        "response_type": "code",
        "scope": "profile balance",
        "state": "s",
        **changes,
    }
    return f"{service.origin}/api/oauth2/authorize?{urlencode(given)}"


def code_of(location):
    return httpx.URL(location).params["code"]


def exchange(service, code):
    return httpx.post(
        f"{service.origin}/api/oauth2/token",
        data={"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK},
        auth=(service.app.client_id, service.secret),
        timeout=30,
    )


def refresh(service, token):
    return httpx.post(
        f"{service.origin}/api/oauth2/token",
        data={"grant_type": "refresh_token", "refresh_token": token},
        auth=(service.app.client_id, service.secret),
        timeout=30,
    )


def userinfo(service, token):
    headers = {"authorization": f"Bearer {token}"}
    return httpx.get(f"{service.origin}/api/oauth2/userinfo", headers=headers)


def at_once(count, call):
    """Answers of so many calls made together."""
    with ThreadPoolExecutor(count) as pool:
        return [each.result() for each in [pool.submit(call) for _ in range(count)]]


def test_one_of_twenty_exchanges_wins_and_loses_its_tokens(service, browser):
    """The rest were replays: what came of the code is revoked."""
    code = code_of(browser.authorized(link(service)))
    made = at_once(20, lambda: exchange(service, code))
    assert [200] + [400] * 19 == sorted(each.status_code for each in made)
    (won,) = (each.json() for each in made if each.status_code == 200)
    assert 401 == userinfo(service, won["access_token"]).status_code
    assert 400 == refresh(service, won["refresh_token"]).status_code


def test_parallel_workers_of_an_application_stay_logged_in(service, browser):
    """All refreshes are answered, with one and the same successor, which works."""
    first = exchange(service, code_of(browser.authorized(link(service)))).json()
    made = [each.json() for each in at_once(8, lambda: refresh(service, first["refresh_token"]))]
    (successor,) = {each["refresh_token"] for each in made}
    assert 200 == refresh(service, successor).status_code
    assert [200] * 8 == [userinfo(service, each["access_token"]).status_code for each in made]


def test_revoking_in_the_user_centre_ends_access_with_the_next_call(service, browser):
    """And the next authorization asks again, also with auto_authorize."""
    issued = exchange(service, code_of(browser.authorized(link(service)))).json()
    assert 200 == userinfo(service, issued["access_token"]).status_code
    assert 303 == browser.opened(link(service)).status_code
    page = browser.opened("/account/applications")
    # others may have been let in by then
    card = page.text.partition(f"<h2>{service.app.name}</h2>")[2]
    path = re.search(r'action="(/account/applications/\d+/revoke)"', card)[1]
    assert 303 == browser.sent(page, path).status_code
    answer = userinfo(service, issued["access_token"])
    assert (401, "invalid_token") == (answer.status_code, answer.json()["error"])
    answer = refresh(service, issued["refresh_token"])
    assert (400, "invalid_grant") == (answer.status_code, answer.json()["error"])
    assert 200 == browser.opened(link(service, auto_authorize="true")).status_code


def test_a_new_redirect_uri_does_not_lead_away(service, browser):
    """Over the real server, too: a page and no Location."""
    answer = browser.client.get(link(service, redirect_uri="https://evil.example/"))
    assert (400, False) == (answer.status_code, "location" in answer.headers)


@pytest.mark.parametrize(
    "state", ["ünïcödé 👋", "a+b c%20d&e=f", "\r\nset-cookie: a=b", "x" * 2048]
)
def test_state_comes_back_over_the_wire(service, browser, state):
    """In a header that nothing has ended before its time."""
    location = browser.authorized(link(service, state=state))
    assert state == httpx.URL(location).params["state"]
    assert "a" not in browser.client.cookies


def test_a_script_registers_an_application(service):
    """With a developer token; here the one of another account, made where the pages make them."""
    answer = httpx.post(f"{service.origin}/api/oauth_apps", json={"name": "x"})
    assert (401, "Bearer") == (answer.status_code, answer.headers["www-authenticate"])


def test_no_secret_is_in_the_database_or_in_the_log(service, browser):
    """Of everything that these tests were given."""
    issued = exchange(service, code_of(browser.authorized(link(service)))).json()
    refresh(service, issued["refresh_token"])
    done = warm.run(
        [TRIVIUM, "app", "list"], cwd=service.folder, capture_output=True, text=True, check=True
    )
    assert service.app.client_id in done.stdout
    dump = "\n".join(sqlite3.connect(service.folder / "trivium.db").iterdump())
    assert "oauth_refresh_tokens" in dump
    for text in (dump, service.log(), done.stdout):
        assert [] == SECRETS.findall(text)
    wal = service.folder / "trivium.db-wal"
    raw = (service.folder / "trivium.db").read_bytes() + (wal.read_bytes() if wal.exists() else b"")
    for value in (issued["access_token"], issued["refresh_token"], service.secret):
        assert value.encode() not in raw
