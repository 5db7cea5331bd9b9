"""Filters of SCIM as conditions in SQL: the database searches, by an index where it has one."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, false, func, not_, or_, select, true

from trivium.identity.scim.filters import (
    ElementFilter,
    Filter,
    FilterComparison,
    Junction,
    Negation,
    compares,
    wrong,
)
from trivium.identity.scim.resources import number_of
from trivium.identity.teams.model import MemberSource
from trivium.storage.schema.core import users
from trivium.storage.schema.scim import scim_groups as groups
from trivium.storage.schema.scim import scim_users as people
from trivium.storage.schema.teams import team_members

_FOLDED, _EXACT, _TRUTH, _WHEN, _NUMBER = range(5)
"""How a column is compared."""
_Columns = dict[str, tuple[int, Any]]
_EMAIL: Final[_Columns] = {
    "value": (_FOLDED, users.c.email),
    "type": (_FOLDED, "work"),
    "primary": (_TRUTH, true()),
}
_USER_COLUMNS: Final[_Columns] = {
    "id": (_NUMBER, people.c.user_id),
    "externalid": (_EXACT, people.c.external_id),
    "username": (_FOLDED, people.c.user_name),
    "displayname": (_FOLDED, people.c.display_name),
    "name.formatted": (_FOLDED, people.c.formatted),
    "name.givenname": (_FOLDED, people.c.given_name),
    "name.familyname": (_FOLDED, people.c.family_name),
    "active": (_TRUTH, not_(users.c.disabled)),
    "emails": _EMAIL["value"],
    "meta.created": (_WHEN, people.c.created_at),
    "meta.lastmodified": (_WHEN, people.c.changed_at),
    **{f"emails.{name}": column for name, column in _EMAIL.items()},
}
_GROUP_COLUMNS: Final[_Columns] = {
    "id": (_NUMBER, groups.c.team_id),
    "externalid": (_EXACT, groups.c.external_id),
    "displayname": (_FOLDED, groups.c.display_name),
    "meta.created": (_WHEN, groups.c.created_at),
    "meta.lastmodified": (_WHEN, groups.c.changed_at),
}
_KEYS: Final = {
    ("username", "scim_users"): people.c.user_name_key,
    ("displayname", "scim_groups"): groups.c.display_key,
}
"""Columns with an index, by which texts are found that are equal."""


def user_condition(found: Filter) -> ColumnElement[bool]:
    """Whether a person meets a filter. Raises ``ScimError`` (invalidFilter)."""
    return _condition(found, _USER_COLUMNS)


def group_condition(found: Filter) -> ColumnElement[bool]:
    """Whether a group meets a filter. Raises ``ScimError`` (invalidFilter)."""
    return _condition(found, _GROUP_COLUMNS)


def _condition(found: Filter, columns: _Columns) -> ColumnElement[bool]:
    if isinstance(found, Junction):
        terms = [_condition(term, columns) for term in found.terms]
        return and_(*terms) if found.is_and else or_(*terms)
    if isinstance(found, Negation):
        return not_(_condition(found.term, columns))
    if isinstance(found, ElementFilter):
        return _element(found, columns)
    if columns is _GROUP_COLUMNS and found.attribute in ("members", "members.value"):
        return _has_member(found)
    column = columns.get(found.attribute)
    if column is None:
        raise wrong(f"{found.attribute[:80]!r} is not searched; there are {', '.join(columns)}")
    return _compared(found, *column)


def _element(found: ElementFilter, columns: _Columns) -> ColumnElement[bool]:
    if columns is _USER_COLUMNS and found.attribute == "emails":
        return _condition(found.inner, _EMAIL)
    inner = found.inner
    is_member = columns is _GROUP_COLUMNS and found.attribute == "members"
    if is_member and isinstance(inner, FilterComparison) and inner.attribute == "value":
        return _has_member(inner)
    raise wrong(f"{found.attribute[:80]!r} is not searched so; emails and members[value eq] are")


def _has_member(found: FilterComparison) -> ColumnElement[bool]:
    if found.operator != "eq" or not isinstance(found.value, str):
        raise wrong('members: is searched as `members eq "ID"`')
    one = select(team_members.c.user_id).where(
        team_members.c.team_id == groups.c.team_id,
        team_members.c.source == MemberSource.SCIM.value,
        team_members.c.user_id == (number_of(found.value) or 0),
    )
    return one.exists()


def _compared(found: FilterComparison, kind: int, column: Any) -> ColumnElement[bool]:
    operator, value = found.operator, found.value
    if isinstance(column, str):  # the same for everybody
        return true() if compares(operator, column, value) else false()
    if operator == "pr" or (value is None and operator in ("eq", "ne")):
        is_there: ColumnElement[bool] = true() if kind == _TRUTH else column.is_not(None)
        return not_(is_there) if operator == "eq" else is_there
    if kind == _TRUTH:
        return _truth(found, column)
    if kind == _WHEN:
        return _ordered(operator, column, _second(found))
    if not isinstance(value, str):
        raise wrong(f"{found.attribute}: is compared with a text")
    return _text_compared(found, kind, column, value)


def _text_compared(
    found: FilterComparison, kind: int, column: Any, value: str
) -> ColumnElement[bool]:
    if kind == _NUMBER:
        return _equal(found, column, number_of(value) or 0)
    if kind == _EXACT:
        return _equal(found, column, value)
    key = _KEYS.get((found.attribute, column.table.name))
    if found.operator in ("eq", "ne") and key is not None:
        return _equal(found, key, value.casefold())
    return _folded(found.operator, column, value)


def _equal(found: FilterComparison, column: Any, value: object) -> ColumnElement[bool]:
    if found.operator not in ("eq", "ne"):
        raise wrong(f"{found.attribute}: is compared with eq, ne and pr")
    same: ColumnElement[bool] = column == value
    return same if found.operator == "eq" else or_(column != value, column.is_(None))


def _truth(found: FilterComparison, column: Any) -> ColumnElement[bool]:
    value = found.value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        value = value.lower() == "true"
    if not isinstance(value, bool) or found.operator not in ("eq", "ne"):
        raise wrong(f"{found.attribute}: is compared with eq or ne, and true or false")
    holds: ColumnElement[bool] = column
    return holds if value is (found.operator == "eq") else not_(holds)


def _second(found: FilterComparison) -> int:
    try:
        return int(datetime.fromisoformat(str(found.value)).timestamp())
    except (ValueError, OverflowError):
        raise wrong(
            f'{found.attribute}: is compared with a time, such as "2026-11-28T00:00:00Z"'
        ) from None


def _folded(operator: str, column: Any, value: str) -> ColumnElement[bool]:
    low, text = func.lower(column), func.lower(value)
    found: dict[str, ColumnElement[bool]] = {
        "co": column.icontains(value, autoescape=True),
        "sw": column.istartswith(value, autoescape=True),
        "ew": column.iendswith(value, autoescape=True),
    }
    return found[operator] if operator in found else _ordered(operator, low, text)


def _ordered(operator: str, column: Any, value: Any) -> ColumnElement[bool]:
    found: dict[str, ColumnElement[bool]] = {
        "eq": column == value,
        "ne": or_(column != value, column.is_(None)),
        "gt": column > value,
        "ge": column >= value,
        "lt": column < value,
        "le": column <= value,
    }
    if operator not in found:
        raise wrong(f"a time is not compared with {operator}")
    return found[operator]
