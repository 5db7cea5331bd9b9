"""Budgets of a team, its members and its service accounts, over the API."""

import pytest

from trivium.identity.teams.model import TeamRole
from trivium.oauth.developer.model import TEAMS

pytestmark = pytest.mark.asyncio


async def test_budgets_are_set_seen_and_ended(script):
    """Members see the team's and their own."""
    console = script.console
    acme = await console.teams.create("acme")
    for each in ("bo", "cy"):
        await console.identity.create_user(each, f"{each}@example.org")
    bo, cy = [await console.identity.find_user(each) for each in ("bo", "cy")]
    for who in (bo, cy):
        await console.teams.put_member(acme.id, who.id, TeamRole.MEMBER)
    path = f"/api/admin/teams/{acme.id}/budgets"
    whole = await script.done("PUT", f"{path}/month", {"amount": "50", "zone": "Europe/Berlin"})
    assert ("acme", "50.00", "month", False) == tuple(
        whole[name] for name in ("of", "amount", "period", "soft")
    )
    await script.done("PUT", f"{path}/5h", {"amount": "1", "user_id": bo.id, "instead": "nano"})
    await script.done("PUT", f"{path}/day", {"amount": "2", "user_id": cy.id, "soft": True})
    listed = (await script.done("GET", path))["budgets"]
    assert [("acme: bo", "nano"), ("acme: cy", ""), ("acme", "")] == [
        (each["of"], each["instead"]) for each in listed
    ]
    token = await script.made_token(bo.id, TEAMS)
    seen = (await script.ask("GET", path, token=token)).json()["data"]["budgets"]
    assert {"acme", "acme: bo"} == {each["of"] for each in seen}
    assert None is await script.done("DELETE", f"{path}/5h?user_id={bo.id}")
    assert 2 == len((await script.done("GET", path))["budgets"])


async def test_a_tag_has_a_budget(script):
    """In the team, and seen by whoever sees its spending."""
    acme = await script.console.teams.create("acme")
    path = f"/api/admin/teams/{acme.id}/budgets"
    made = await script.done("PUT", f"{path}/month", {"amount": "5", "tag": "nightly"})
    assert "acme, tag nightly" == made["of"]
    assert 1 == len((await script.done("GET", path))["budgets"])
    found = await script.refused("PUT", f"{path}/day", {"amount": "5", "tag": "a", "user_id": 1})
    assert (400, True) == (found[0], "exclude each other" in found[1])
    assert None is await script.done("DELETE", f"{path}/month?tag=nightly")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "said"),
    [
        ("PUT", "fortnight", {"amount": "5"}, 404, "there are day, week, month, total, 5h, 7d"),
        ("PUT", "day", {"amount": "five"}, 400, "amount: "),
        ("PUT", "day", {"amount": "0"}, 400, "above 0"),
        ("PUT", "day", {"amount": "5", "zone": "Mars"}, 400, "Europe/Berlin"),
        ("PUT", "day", {"amount": "5", "soft": True, "instead": "m"}, 400, "refuse nobody"),
        ("PUT", "day", {"amount": "5", "user_id": 999}, 404, "no member"),
        ("PUT", "day", {"amount": "5", "hard": True}, 400, "hard"),
        ("DELETE", "day", None, 400, "there is none"),
        ("DELETE", "day?user_id=x", None, 400, "user_id: must be"),
    ],
)
async def test_what_cannot_be_is_said(script, method, path, body, status, said):
    """Naming the member and what would be right."""
    acme = await script.console.teams.create("acme")
    found = await script.refused(method, f"/api/admin/teams/{acme.id}/budgets/{path}", body)
    assert (status, True) == (found[0], said in found[1]), found


async def test_a_tag_has_a_budget_over_all_keys(script):
    """For administrators alone."""
    path = "/api/admin/budgets"
    made = await script.done("PUT", f"{path}/month", {"amount": "200", "tag": "nightly"})
    assert ("tag nightly", "200.00") == (made["of"], made["amount"])
    listed = await script.done("GET", path)
    assert [("tag nightly", "0.00")] == [(each["of"], each["spent"]) for each in listed["budgets"]]
    for body in ({"amount": "1"}, {"amount": "1", "tag": "a", "user_id": 1}):
        assert 400 == (await script.refused("PUT", f"{path}/month", body))[0]
    assert 400 == (await script.refused("PUT", f"{path}/month", {"amount": "1", "tag": ""}))[0]
    assert 404 == (await script.refused("PUT", f"{path}/x", {"amount": "1", "tag": "a"}))[0]
    token = await script.made_token(script.ada.id, TEAMS)
    for method, where in (("GET", ""), ("PUT", "/day"), ("DELETE", "/day")):
        answer = await script.ask(method, path + where, token=token)
        assert 403 == answer.status_code
    assert None is await script.done("DELETE", f"{path}/month?tag=nightly")
    assert {"budgets": []} == await script.done("GET", path)
    acts = [act for act in await script.console.audit.everything() if act.kind == "budget_set"]
    assert [("all", None)] == [(act.what, act.subject_id) for act in acts]
