"""Channels, models, price groups and routing rules over the API."""

import asyncio

import msgspec
import pytest

from console.api.admin.calling import Script
from console.visiting import console_over
from trivium.catalogue.model import CatalogueKind
from trivium.clock import FixedClock
from trivium.observe.record import Record
from trivium.observe.store import insert, row_of

pytestmark = pytest.mark.asyncio

ROOT = "/api/admin/catalogue"
CANARY = "sk-canary-0123456789"
CHANNEL = {"provider": "openai", "api_key": CANARY, "headers": {"x-team": "canary-header-1"}}
MODEL = {"price": {"input": "1.25", "output": "10"}, "bindings": [{"channel": "main"}]}
MAIN, GPT = f"{ROOT}/channels/main", f"{ROOT}/models/openai/gpt-5"


def said(document, **more):
    return {"document": document, **more}


async def make(script):
    """A channel and a model at it."""
    await script.done("PUT", MAIN, said(CHANNEL, reason="a vendor"))
    return await script.done("PUT", GPT, said(MODEL))


async def test_an_entry_is_made_shown_changed_and_taken_away(script):
    """With its version as the tag; a credential is shown by its end."""
    answer = await script.ask("PUT", MAIN, said(CHANNEL))
    made = answer.json()["data"]
    assert (200, '"1"', 1, 1) == (
        answer.status_code, answer.headers["etag"], made["revision"], made["change_id"]
    )  # fmt: skip
    shown = await script.done("GET", MAIN)
    assert shown == made["entry"]
    assert {"source": "database", "version": 1} == shown["origin"]
    assert "sealed:channels/main/api_key" == shown["document"]["api_key"]
    assert [("api_key", "6789"), ("headers/x-team", "er-1")] == [
        (each["at"], each["last4"]) for each in shown["credentials"]
    ]
    assert (script.root.id, 1_790_000_001_000) == (shown["updated_by"], shown["updated_ms"])
    await script.done("PUT", GPT, said(MODEL))
    edited = {**shown["document"], "queue_s": 2.5}
    changed = await script.ask("PUT", MAIN, said(edited), **{"if-match": '"1"'})
    assert (200, ["queue_s"]) == (
        changed.status_code,
        changed.json()["data"]["entries"][0]["members"],
    )
    assert shown["credentials"] == (await script.done("GET", MAIN))["credentials"]
    listed = await script.done("GET", ROOT)
    assert (3, ["main", "openai/gpt-5"]) == (
        listed["revision"], [each["name"] for each in listed["entries"]]
    )  # fmt: skip
    gone = await script.ask("DELETE", GPT, **{"if-match": '"2"'})
    assert (200, None) == (gone.status_code, gone.json()["data"]["entry"])
    assert (404, 'there is no models["openai/gpt-5"]') == await script.refused("GET", GPT)


async def test_the_same_again_changes_nothing(script):
    """Whoever says each time what there is to be needs no condition, and makes no versions."""
    await make(script)
    for path, document in ((MAIN, CHANNEL), (GPT, {**MODEL, "name": "openai/gpt-5"})):
        again = await script.done("PUT", path, said(document))
        assert (2, None, []) == (again["revision"], again["change_id"], again["entries"])
    assert 2 == len((await script.done("GET", f"{ROOT}/changes"))["changes"])


async def test_of_two_editors_the_second_is_told(script):
    """Who says nothing of what was read, something else, or that there is nothing."""
    await make(script)
    other = {**MODEL, "title": "Five"}
    status, why = await script.refused("PUT", GPT, said(other))
    assert (428, True) == (status, 'If-Match: "2"' in why)
    status, why = await script.refused("DELETE", GPT)
    assert 428 == status
    assert 200 == (await script.ask("PUT", GPT, said(other), **{"if-match": '"2"'})).status_code
    third = {**MODEL, "title": "V"}
    status, why = await script.refused("PUT", GPT, said(third), **{"if-match": '"2"'})
    assert 412 == status
    assert f"it has version 3, by user {script.root.id} at 1790000001" in why
    status, why = await script.refused("PUT", GPT, said(third), **{"if-none-match": "*"})
    assert (412, True) == (status, "is there already" in why)
    status, why = await script.refused(
        "PUT", f"{ROOT}/models/n", said(third), **{"if-match": '"9"'}
    )
    assert (412, True) == (status, "is not there any more" in why)
    assert "Five" == (await script.done("GET", GPT))["document"]["title"]


async def test_editors_at_the_same_moment(script):
    """One of them gets through, on both engines; the others hear of it."""
    await make(script)
    tags = {"if-match": '"2"'}
    answers = await asyncio.gather(
        *(script.ask("PUT", GPT, said({**MODEL, "title": f"T{i}"}), **tags) for i in range(6))
    )
    assert [200, *[412] * 5] == sorted(each.status_code for each in answers)
    names = [f"{ROOT}/models/m{i}" for i in range(4)]
    apart = await asyncio.gather(*(script.ask("PUT", name, said(MODEL)) for name in names))
    assert [200] * 4 == [each.status_code for each in apart]


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"if-match": "2"}, 'If-Match: must be the version in quotes, such as "12"'),
        ({"if-none-match": '"2"'}, "If-None-Match: must be *"),
        ({"if-match": '"2"', "if-none-match": "*"}, "exclude each other"),
    ],
)
async def test_conditions_that_are_none(script, headers, why):
    """They are told, not passed over."""
    status, message = await script.refused("PUT", GPT, said(MODEL), **headers)
    assert (400, True) == (status, why in message)


@pytest.mark.parametrize(
    ("path", "document", "why"),
    [
        (MAIN, {"provider": "opnai"}, 'channels["main"].provider is "opnai", which is not a provider'),
        (MAIN, {**CHANNEL, "queue_max": 1}, "needs max_concurrency beside it"),
        (MAIN, {**CHANNEL, "api_key": "file:/etc/shadow"}, "names a file"),
        (MAIN, {**CHANNEL, "api_key": "env:TRIVIUM_SECRET"}, "have secrets.references allow it"),
        (MAIN, {**CHANNEL, "api_key": "env:A_API_KEY", "base_url": "https://evil.example/v1"}, "would be sent to"),
        (MAIN, {**CHANNEL, "proxy": "env:A_API_KEY"}, "proxy: cannot be a reference"),
        (MAIN, {**CHANNEL, "api_key": 5}, 'channels["main"].api_key must be text'),
        (GPT, MODEL, 'names no channel: there is no "main"'),
        (GPT, {"free": True}, 'models["openai/gpt-5"].bindings is missing'),
        (GPT, {**MODEL, "price": {"input": 1.25}}, "must be a decimal in quotes, not 1.25"),
        (GPT, [], "the document of a model is an object"),
        (f"{ROOT}/groups/students", "free", "must be a factor above 0"),
        (f"{ROOT}/routing", {"attempts": 2}, "routing.attempts is not a setting (did you mean attempts"),
    ],
)  # fmt: skip
async def test_what_does_not_fit_is_refused_in_the_words_of_check(script, path, document, why):
    """Whole, and nothing is stored; no credential is said again."""
    status, message = await script.refused("PUT", path, said(document))
    assert (400, True) == (status, why in message), message
    assert "canary" not in message
    assert 0 == (await script.done("GET", ROOT))["revision"]


async def test_a_sealed_key_does_not_follow_to_another_host(script):
    """Else whoever may change an address could have it sent to one of theirs."""
    await make(script)
    document = (await script.done("GET", MAIN))["document"]
    tag = {"if-match": '"1"'}
    for change in ({"base_url": "https://evil.example/v1"}, {"proxy": "http://evil.example:1"},
                   {"provider": "anthropic"}):  # fmt: skip
        status, why = await script.refused("PUT", MAIN, said(document | change), **tag)
        assert (400, True) == (
            status,
            why.startswith(f"{next(iter(change))}: is another than before"),
        )
    moved = {**CHANNEL, "base_url": "https://mine.example/v1"}
    assert 200 == (await script.ask("PUT", MAIN, said(moved), **tag)).status_code
    theft = {"provider": "openai", "base_url": "https://evil.example/v1",
             "api_key": "sealed:channels/main/api_key"}  # fmt: skip
    status, why = await script.refused("PUT", f"{ROOT}/channels/mine", said(theft))
    assert (400, True) == (status, 'no reference to a credential of channels["mine"]' in why)


async def test_several_are_changed_together_or_not_at_all(script):
    """At the revision that was read."""
    entries = [
        {"kind": "model", "name": "m", "document": MODEL},
        {"kind": "channel", "name": "main", "document": CHANNEL},
        {"kind": "group", "name": "students", "document": "0.8"},
        {"kind": "routing", "name": "routing", "document": {"attempts_max": 3}},
    ]
    done = await script.done("POST", f"{ROOT}/apply", {"entries": entries, "reason": "first"})
    assert (1, ["create"] * 4) == (done["revision"], [each["action"] for each in done["entries"]])
    again = await script.done("POST", f"{ROOT}/apply", {"entries": entries})
    assert [] == again["entries"]
    entries[0]["document"] = None
    status, _ = await script.refused("POST", f"{ROOT}/apply", {"entries": entries})
    assert 428 == status
    status, _ = await script.refused("POST", f"{ROOT}/apply", {"entries": entries, "revision": 7})
    assert 412 == status
    bad = [*entries, {"kind": "model", "name": "n", "document": {"free": 1}}]
    status, why = await script.refused("POST", f"{ROOT}/apply", {"entries": bad, "revision": 1})
    assert (400, True) == (status, 'models["n"]' in why)
    assert 4 == len((await script.done("GET", ROOT))["entries"])
    done = await script.done("POST", f"{ROOT}/apply", {"entries": entries, "revision": 1})
    assert [("delete", "m")] == [(each["action"], each["name"]) for each in done["entries"]]
    status, why = await script.refused("POST", f"{ROOT}/apply", {"entries": entries * 2})
    assert (400, "an entry occurs twice") == (status, why)


async def test_a_trial_says_what_it_would_come_to(script):
    """The difference, the plans, and requests of the last hour that would find no way."""
    await make(script)
    async with script.console.database.write() as conn:
        for number, (model, channel) in enumerate([("openai/gpt-5", "main")] * 3 + [("x", "y")]):
            record = Record(
                request_id=f"r{number}", at=1_790_000_000.0 - 60, operation="chat", model=model,
                channel=channel, upstream_model=model, status=200, attempts=1, total_ms=1.0,
            )  # fmt: skip
            await insert(conn, [row_of(record, int if script.console.database.is_sqlite else bool)])
    answer = await script.ask("DELETE", f"{GPT}?dry_run=true", **{"if-match": '"2"'})
    said_ = answer.json()["data"]
    assert (True, None, 2, "delete") == (
        said_["dry_run"], said_["change_id"], said_["revision"], said_["entries"][0]["action"]
    )  # fmt: skip
    assert [{"model": "openai/gpt-5", "gone": True}] == said_["plans"]
    assert [("openai/gpt-5", 3, "the model is gone"), ("x", 1, "the model is gone")] == [
        (each["model"], each["requests"], each["why"]) for each in said_["lost_requests"]
    ]
    answer = await script.ask(
        "PUT", f"{MAIN}?dry_run=true", said({**CHANNEL, "disabled": True}), **{"if-match": '"1"'}
    )
    found = answer.json()["data"]
    assert "no channel that is switched on" in found["lost_requests"][0]["why"]
    assert 2 == (await script.done("GET", ROOT))["revision"]


async def test_a_change_is_told_and_undone(script):
    """Who, when, from where, why, before and after; everything at once, its credentials too."""
    await make(script)
    await script.ask(
        "PUT", MAIN, said({**CHANNEL, "api_key": "sk-other-canary-999"}), **{"if-match": '"1"'}
    )
    found = (await script.done("GET", f"{ROOT}/changes?kind=channel&name=main"))["changes"]
    assert [(3, ["api_key"], ""), (1, [], "a vendor")] == [
        (each["id"], each["entries"][0]["members"], each["reason"]) for each in found
    ]
    assert (script.root.id, "198.51.100.7") == (found[0]["user_id"], found[0]["address"])
    prints = [
        each["credentials"][0]["fingerprint"] for each in
        (found[0]["entries"][0]["before"], found[0]["entries"][0]["after"])
    ]  # fmt: skip
    assert prints[0] != prints[1]
    undone = await script.done("POST", f"{ROOT}/changes/3/undo", {"reason": "wrong key"})
    assert (4, 4) == (undone["revision"], undone["change_id"])
    shown = await script.done("GET", MAIN)
    assert (4, "6789") == (shown["origin"]["version"], shown["credentials"][0]["last4"])
    for change, why in ((3, "was undone already, by 4"), (1, 'channels["main"] was changed since')):
        status, message = await script.refused("POST", f"{ROOT}/changes/{change}/undo", {})
        assert (409, True) == (status, why in message)
    assert 404 == (await script.refused("POST", f"{ROOT}/changes/99/undo", {}))[0]
    # an undoing is a change like others
    await script.done("POST", f"{ROOT}/changes/4/undo", {})
    assert "-999" == (await script.done("GET", MAIN))["credentials"][0]["last4"]
    answer = await script.ask("DELETE", MAIN, **{"if-match": '"5"'})
    assert (400, True) == (answer.status_code, "names no channel" in answer.json()["message"])
    acts = [
        act for act in await script.console.audit.everything() if act.kind.startswith("catalogue")
    ]
    assert ["catalogue_undone"] * 2 + [
        "catalogue_changed",
        "catalogue_changed",
        "catalogue_changed",
    ] == ([act.kind for act in acts])
    assert all(act.actor_id == script.root.id for act in acts)


async def test_no_credential_is_in_any_answer_log_or_row(script, caplog):
    """Sent in every way there is, taken up, changed, undone, tried, refused."""
    seen = []

    async def ask(*given, **more):
        answer = await script.ask(*given, **more)
        seen.append(answer.content)
        return answer

    await ask("PUT", MAIN, said(CHANNEL))
    await ask("PUT", MAIN, said({**CHANNEL, "queue_max": -1}), **{"if-match": '"1"'})
    await ask("PUT", MAIN, said({**CHANNEL, "api_kye": CANARY}), **{"if-match": '"1"'})
    await ask(
        "PUT",
        f"{MAIN}?dry_run=true",
        said({**CHANNEL, "api_key": "canary-2"}),
        **{"if-match": '"1"'},
    )
    await ask("PUT", MAIN, said({**CHANNEL, "api_key": "canary-3-canary-3"}), **{"if-match": '"1"'})
    for path in (ROOT, MAIN, f"{ROOT}/changes"):
        await ask("GET", path)
    await ask("POST", f"{ROOT}/changes/2/undo", {})
    assert not [each for each in seen if b"canary" in each]
    assert "canary" not in caplog.text
    async with script.console.database.read() as conn:
        for table in ("catalogue_entries", "catalogue_change_entries", "catalogue_changes", "acts"):
            rows = (await conn.exec_driver_sql(f"SELECT * FROM {table}")).all()
            assert rows
            assert not [each for each in rows if "canary" in repr(each)], table


async def test_only_administrators_may(script):
    """No token, a user's, and one for teams see and change nothing."""
    from trivium.oauth.developer.model import TEAMS

    teams = await script.made_token(script.ada.id, TEAMS)
    for method, path, body in (
        ("GET", ROOT, None), ("GET", MAIN, None), ("PUT", MAIN, said(CHANNEL)), ("DELETE", MAIN, None),
        ("POST", f"{ROOT}/apply", {"entries": []}), ("GET", f"{ROOT}/changes", None),
        ("POST", f"{ROOT}/changes/1/undo", {}), ("PUT", f"{ROOT}/routing", said({"repeats": 1})),
    ):  # fmt: skip
        assert 401 == (await script.refused(method, path, body, token=""))[0]
        assert 403 == (await script.refused(method, path, body, token=teams))[0]
    assert 0 == (await script.done("GET", ROOT))["revision"]


@pytest.mark.parametrize(
    ("body", "status", "why"),
    [
        (b'{"document":' + b'{"a":' * 90_00 + b"1" + b"}" * 90_00 + b"}", 400, "nested"),
        (b'{"document":' + b"[" * 60_000 + b"]" * 60_000 + b"}", 400, "nested"),
        (msgspec.json.encode(said({"x": [0] * 20_000})), 400, "more than 10,000 values"),
        (b'{"document": {"free": true, "free": false}}', 400, "`free` occurs twice"),
        (b'{"document": {"title": "' + b"x" * 200_000 + b'"}}', 413, "more than 131072 bytes"),
        (b'{"dokument": {}}', 400, "dokument"),
        (b'{"document": null}', 400, "document: is missing"),
    ],
)
async def test_bodies_of_any_shape_are_answered(script, body, status, why):
    """At once, and by what is wrong with them."""
    found = await script.refused("PUT", GPT, body)
    assert (status, True) == (found[0], why in found[1]), found[1][:300]


async def test_thousands_of_slips_are_told_briefly(script):
    """A set of many models none of which is right, in bounded time."""
    entries = [
        {
            "kind": "model",
            "name": f"model-{i}",
            "document": {"fre": 1, "bindings": [{"channel": f"c{i}"}]},
        }
        for i in range(1_500)
    ]
    status, why = await script.refused("POST", f"{ROOT}/apply", {"entries": entries})
    assert (400, 51) == (status, len(why.splitlines()))
    assert why.splitlines()[-1].startswith("and ")


async def test_the_lists_of_changes_are_paged_and_filtered(sqlite_database):
    """By kind, entry and user; with where the next page begins."""
    async with Script.over(sqlite_database) as script:
        for i in range(5):
            await script.done("PUT", f"{ROOT}/groups/g{i}", said("0.5"))
        page = await script.done("GET", f"{ROOT}/changes?limit=2")
        assert ([5, 4], 4) == ([each["id"] for each in page["changes"]], page["before"])
        page = await script.done("GET", f"{ROOT}/changes?limit=3&before=4")
        assert ([3, 2, 1], 1) == ([each["id"] for each in page["changes"]], page["before"])
        assert [] == (await script.done("GET", f"{ROOT}/changes?user=99"))["changes"]
        assert [2] == [
            each["id"] for each in
            (await script.done("GET", f"{ROOT}/changes?kind=group&name=g1"))["changes"]
        ]  # fmt: skip
        for query in ("limit=0", "limit=x", "kind=thing", "name=x", "before=x", "user=-1"):
            assert 400 == (await script.refused("GET", f"{ROOT}/changes?{query}"))[0], query
        assert 400 == (await script.refused("PUT", f"{ROOT}/groups/g?dry_run=1", said("1")))[0]


async def test_the_same_words_for_kinds_everywhere(sqlite_database):
    """What a list calls an entry, a set takes."""
    async with Script.over(sqlite_database) as script:
        await make(script)
        kinds = {each["kind"] for each in (await script.done("GET", ROOT))["entries"]}
        assert kinds <= {kind.value for kind in CatalogueKind}
        assert console_over(sqlite_database, FixedClock()).catalogue is not None
