"""Applications, as the operator treats them."""

import asyncio
import contextlib

import pytest

from trivium.clock import SystemClock
from trivium.oauth.apps.service import Apps
from trivium.observe.audit.service import Audit
from trivium.storage.database import Database


@pytest.fixture
def client_id(migrated, trivium, folder):
    """An application of ada's."""
    assert 0 == trivium("user", "create", "ada", "--email", "ada@example.com").code
    return asyncio.run(registered(folder / "trivium.db"))


async def registered(path):
    async with contextlib.aclosing(Closing(path)) as closing:
        clock = SystemClock()
        apps = Apps(
            closing.database,
            clock,
            Audit(closing.database, clock),
            apps_max=9,
            apps_per_hour=9,
            allow_insecure_redirect=False,
        )
        app, _ = await apps.create(1, "Shop", "", "https://shop.example/cb")
        return app.client_id


class Closing:
    def __init__(self, path):
        self.database = Database(f"sqlite:///{path}")

    async def aclose(self):
        await self.database.close()


def shown(trivium):
    (app,) = trivium("app", "list", "--json").data
    return app


def test_applications_are_listed(trivium, client_id):
    """With whose they are."""
    app = shown(trivium)
    assert (client_id, "Shop", "ada", "active", False) == (
        app["client_id"], app["name"], app["owner"], app["status"], app["trusted"],
    )  # fmt: skip
    done = trivium("app", "list")
    assert (0, True) == (done.code, client_id in done.out)


@pytest.mark.parametrize(
    ("command", "member", "value"),
    [("trust", "trusted", True), ("suspend", "status", "blocked")],
)
def test_what_the_operator_says_holds_until_taken_back(trivium, client_id, command, member, value):
    """And is told in the audit log."""
    before = shown(trivium)[member]
    assert 0 == trivium("app", command, client_id).code
    assert value == shown(trivium)[member]
    back = {"trust": "distrust", "suspend": "resume"}[command]
    assert 0 == trivium("app", back, client_id).code
    assert before == shown(trivium)[member]
    acts = [act["kind"] for act in trivium("audit", "list", "--json").data]
    assert 2 <= len([act for act in acts if act.startswith("app_") and act != "app_created"])


@pytest.mark.parametrize("command", ["trust", "distrust", "suspend", "resume"])
def test_what_is_not_there_is_said(trivium, client_id, command):
    """On one line."""
    done = trivium("app", command, client_id + "x")
    assert (1, "") == (done.code, done.out)
    assert "there is no application" in done.err


def test_an_application_rests_with_its_developer_until_it_is_anothers(trivium, client_id):
    """Said in the list; told in the log of both."""
    assert 0 == trivium("user", "create", "eve", "--email", "eve@example.com").code
    assert 0 == trivium("user", "disable", "ada").code
    assert (True, "active") == (shown(trivium)["owner_disabled"], shown(trivium)["status"])
    assert "owner disabled" in trivium("app", "list").out
    done = trivium("app", "transfer", client_id, "--to", "eve@example.com")
    assert (0, True) == (done.code, "Shop is eve's now" in done.err)
    assert ("eve", False) == (shown(trivium)["owner"], shown(trivium)["owner_disabled"])
    acts = trivium("audit", "list", "--json", "--act", "app_transferred").data
    assert {"ada", "eve"} == {act["subject"] for act in acts}


@pytest.mark.parametrize(
    ("to", "said"), [("ada", "this account is disabled"), ("nobody", "there is no user")]
)
def test_an_application_needs_an_owner_who_answers_for_it(trivium, client_id, to, said):
    """Not a disabled one, nor one that does not exist."""
    assert 0 == trivium("user", "disable", "ada").code
    done = trivium("app", "transfer", client_id, "--to", to)
    assert (1, True) == (done.code, said in done.err)
    done = trivium("app", "transfer", client_id + "x", "--to", to)
    assert 1 == done.code
