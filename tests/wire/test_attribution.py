"""Whom and what a request is for, in every place where clients say it."""

import msgspec
import pytest

from trivium.wire.attribution import (
    BYTES_MAX,
    HEADERS,
    MEMBERS,
    NAME_CHARS_MAX,
    TAG_CHARS_MAX,
    TAGS_MAX,
    Attributed,
    read,
    without_tags,
)

UUID = "0b3e1f6a-7d62-4c4e-9a55-0d6f2c3b7a10"


def said(headers=None, **members):
    table = {name: msgspec.Raw(msgspec.json.encode(v)) for name, v in members.items()}
    return read((headers or {}).get, table)


def named(headers=None, **members):
    return said(headers, **members).attribution


@pytest.mark.parametrize(
    ("members", "found"),
    [
        ({"user": "u-1"}, "u-1"),
        ({"safety_identifier": "s-1", "user": "u-1", "metadata": {"user_id": "m-1"}}, "s-1"),
        ({"user": "", "metadata": {"user_id": "m-1", "team": 7}}, "m-1"),
        ({"user": None, "metadata": {"user_id": None}}, ""),
        ({"user": {"id": 1}, "metadata": ["user_id"]}, ""),
        ({"metadata": {"user_id": 7, "session_id": []}}, ""),
        ({"metadata": {"team": "a"}}, ""),
        ({"labels": {"user_id": "l-1"}}, "l-1"),
        ({"requestMetadata": {"user_id": "r-1"}}, "r-1"),
        ({}, ""),
    ],
)
def test_the_first_that_names_somebody_counts(members, found):
    """Whatever else stands there is the vendor's to refuse."""
    assert found == named(**members).end_user


@pytest.mark.parametrize(
    ("headers", "members", "found"),
    [
        # Claude Code: the session at the end of the user, or JSON in a text
        (
            {},
            {"metadata": {"user_id": f"user_ab12_account_cd_session_{UUID}"}},
            Attributed("user_ab12_account_cd", UUID),
        ),
        (
            {},
            {
                "metadata": {
                    "user_id": f'{{"device_id":"d","account_uuid":"a","session_id":"{UUID}"}}'
                }
            },
            Attributed("a", UUID),
        ),
        ({b"x-claude-code-session-id": UUID.encode()}, {}, Attributed("", UUID)),
        # Codex, opencode, others
        ({b"session_id": b"s"}, {}, Attributed("", "s")),
        ({b"conversation_id": b"c"}, {}, Attributed("", "c")),
        ({b"x-opencode-session": b"ses_1"}, {}, Attributed("", "ses_1")),
        ({b"x-session-affinity": b"ses_2"}, {}, Attributed("", "ses_2")),
        # a profile under either name, the vendor's own first
        ({b"vendor-user-profile-id": b"n"}, {}, Attributed("n")),
        (
            {b"vendor-user-profile-id": b"n", b"anthropic-user-profile-id": b"own"},
            {},
            Attributed("own"),
        ),
        # Gemini CLI: an installation, and no session
        ({b"x-gemini-api-privileged-user-id": b"i-1"}, {}, Attributed("i-1")),
        # a header counts before a member
        ({b"trivium-end-user": b"h"}, {"user": "u"}, Attributed("h")),
        ({b"trivium-session": b"h"}, {"metadata": {"session_id": "m"}}, Attributed("", "h")),
        ({}, {"metadata": {"session_id": "m"}}, Attributed("", "m")),
        # what only looks like one
        ({}, {"metadata": {"user_id": '{"a": 1}'}}, Attributed('{"a": 1}')),
        ({}, {"metadata": {"user_id": "_session_x"}}, Attributed("_session_x")),
    ],
)
def test_agents_say_it_in_their_own_ways(headers, members, found):
    """Each agent's session is told from its end user."""
    assert found == named(headers, **members)


@pytest.mark.parametrize(
    ("headers", "members", "tags"),
    [
        ({b"trivium-tags": b"a, b ,,a"}, {}, ("a", "b")),
        ({b"x-litellm-tags": b"job:nightly"}, {"metadata": {"tags": ["x"]}}, ("job:nightly", "x")),
        ({}, {"metadata": {"tags": "x,y"}}, ("x", "y")),
        ({}, {"metadata": {"tags": [1, "x"]}}, ()),
        ({}, {"metadata": {"tags": {"a": "b"}}}, ()),
        ({}, {"labels": {"team": "red", "tags": "x"}}, ("x", "team:red")),
        ({}, {"requestMetadata": {"cost": "9", "session_id": "s"}}, ("cost:9",)),
        ({b"trivium-tags": "grün".encode()}, {}, ("grün",)),
        ({b"trivium-tags": "grün".encode("latin-1")}, {}, ("grün",)),
    ],
)
def test_tags_come_in_lists_texts_and_labels(headers, members, tags):
    """Each once, in the order of saying."""
    assert (tags, 0) == (named(headers, **members).tags, said(headers, **members).left_out)


def test_tags_are_bounded_and_what_is_left_out_is_counted():
    """None is shortened: two that begin alike would be one."""
    long, many = "x" * (TAG_CHARS_MAX + 1), [f"t{n}" for n in range(TAGS_MAX + 3)]
    found = said(metadata={"tags": [long, "a\nb", *many]})
    assert (tuple(many[:TAGS_MAX]), 5) == (found.attribution.tags, found.left_out)
    assert ("x" * TAG_CHARS_MAX,) == named(metadata={"tags": ["x" * TAG_CHARS_MAX]}).tags


def test_what_is_kept_is_bounded():
    """Callers may send megabytes; those are not even looked into. A long name is its digest, so two
    that begin alike are two.
    """
    assert "x" * NAME_CHARS_MAX == named(user="x" * NAME_CHARS_MAX).end_user
    long = [named(user="x" * n).end_user for n in (1000, 1001)]
    assert [39, 39] == [len(each) for each in long]
    assert long[0] != long[1]
    assert "" == named(user="x" * BYTES_MAX).end_user
    assert Attributed() == named(metadata={"user_id": "a", "more": "x" * BYTES_MAX})
    assert () == named(labels={"a": "x" * BYTES_MAX}).tags
    assert "a\N{REPLACEMENT CHARACTER}" == named(user="a\0").end_user


def test_nesting_without_end_is_nobody():
    """As deep as its size allows."""
    deep = msgspec.Raw(b'{"a":' + b"[" * 8000 + b"]" * 8000 + b"}")
    assert Attributed() == read({}.get, {"metadata": deep}).attribution
    assert (False, None) == without_tags(deep)


@pytest.mark.parametrize(
    ("metadata", "left"),
    [
        (b'{"tags":["a"]}', (True, None)),
        (b'{"tags":["a"],"user_id":"u","more":{"b":1}}', (True, b'{"user_id":"u","more":{"b":1}}')),
        (b'{"tags":"a"}', (False, None)),
        (b'{"user_id":"u"}', (False, None)),
        (b"[]", (False, None)),
        (b"null", (False, None)),
    ],
)
def test_a_list_of_tags_is_taken_out(metadata, left):
    """No vendor takes one: OpenAI has texts there, Anthropic nothing but a user."""
    assert left == without_tags(msgspec.Raw(metadata))


def test_most_requests_have_none_of_these_names():
    """What every SDK sends must not be among them, or every request would be looked into."""
    assert HEADERS.isdisjoint({b"authorization", b"user-agent", b"content-type", b"accept"})
    assert MEMBERS.isdisjoint({"model", "messages", "input", "stream", "max_tokens", "contents"})
