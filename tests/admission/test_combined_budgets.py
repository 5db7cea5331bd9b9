"""Budgets of several origins are one object for as long as none of them is another."""

from trivium.admission import combined_budgets
from trivium.admission.combined_budgets import CombinedBudgets
from trivium.settings.budget import Budget, Period


def some(*scopes):
    return tuple([Budget(amount_nanos=1, period=Period.DAY, scope=scope) for scope in scopes])


def test_the_same_budgets_are_put_together_once():
    """In the order of their parts; those of a key alone are its own object."""
    combined, key, tag = CombinedBudgets(), some("key:5", "team:3"), some("team:3/tag:a")
    assert key is combined.whole([key])
    whole = combined.whole([key, tag])
    assert key + tag == whole
    assert whole is combined.whole([key, tag])
    assert tag + key == combined.whole([tag, key])


def test_what_was_changed_is_another():
    """Also one that looks the same: whoever counts knows budgets by what they are."""
    combined, key, tag = CombinedBudgets(), some("key:5"), some("team:3/tag:a")
    before = combined.whole([key, tag])
    dearer = (Budget(amount_nanos=2, period=Period.DAY, scope="team:3/tag:a"),)
    assert key + dearer == combined.whole([key, dearer])
    again = some("team:3/tag:a")
    assert again is not tag
    assert before == combined.whole([key, again])
    assert before is combined.whole([key, tag])


def test_an_end_user_has_the_budgets_of_each_in_a_scope_of_their_own():
    """One object an end user, until the key's are changed."""
    combined, of_each = CombinedBudgets(), some("")
    ada = combined.end_user(of_each, 5, "ada")
    assert [("key:5/end_user:ada", "this end user")] == [(b.scope, b.whose) for b in ada]
    assert ada is combined.end_user(of_each, 5, "ada")
    assert ada != combined.end_user(of_each, 5, "bob")
    assert ada != combined.end_user(of_each, 6, "ada")
    twice = some("", "")
    assert 2 == len(combined.end_user(twice, 5, "ada"))
    assert ada == combined.end_user(of_each, 5, "ada")


def test_no_more_is_remembered_than_there_is_room_for(monkeypatch):
    """End users are as many as callers invent."""
    monkeypatch.setattr(combined_budgets, "REMEMBERED_MAX", 3)
    combined, of_each, key = CombinedBudgets(), some(""), some("key:5")
    for number in range(10):
        own = combined.end_user(of_each, 5, f"u{number}")
        assert key + own == combined.whole([key, own])
        assert len(combined._end_users) <= 3
        assert len(combined._whole) <= 3
