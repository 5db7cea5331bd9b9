"""Filters of RFC 7644 are read as the RFC has them, and bounded."""

import time

import pytest

from trivium.identity.scim.filters import (
    CHARS_MAX,
    ElementFilter,
    FilterComparison,
    Junction,
    Negation,
    attribute_name,
    compares,
    holds,
    read_filter,
)
from trivium.identity.scim.model import ScimError


def both(*terms):
    return Junction(True, terms)


def either(*terms):
    return Junction(False, terms)


NAME = FilterComparison("username", "eq", "bjensen")
TYPE = FilterComparison("type", "eq", "work")
RFC = [
    ('userName eq "bjensen"', NAME),
    ("name.familyName co \"O'Malley\"", FilterComparison("name.familyname", "co", "O'Malley")),
    ('userName sw "J"', FilterComparison("username", "sw", "J")),
    ('urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"', FilterComparison("username", "sw", "J")),
    ("title pr", FilterComparison("title", "pr")),
    ('meta.lastModified gt "2011-05-13T04:42:34Z"', FilterComparison("meta.lastmodified", "gt", "2011-05-13T04:42:34Z")),
    ('title pr and userType eq "Employee"', both(FilterComparison("title", "pr"), FilterComparison("usertype", "eq", "Employee"))),
    ('title pr or userType eq "Intern"', either(FilterComparison("title", "pr"), FilterComparison("usertype", "eq", "Intern"))),
    (
        'userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")',
        both(
            FilterComparison("usertype", "eq", "Employee"),
            either(FilterComparison("emails", "co", "example.com"), FilterComparison("emails.value", "co", "example.org")),
        ),
    ),
    (
        'userType ne "Employee" and not (emails co "example.com")',
        both(FilterComparison("usertype", "ne", "Employee"), Negation(FilterComparison("emails", "co", "example.com"))),
    ),
    (
        'emails[type eq "work" and value co "@example.com"]',
        ElementFilter("emails", both(TYPE, FilterComparison("value", "co", "@example.com"))),
    ),
    (
        'emails[type eq "work"] or ims[type eq "xmpp"]',
        either(ElementFilter("emails", TYPE), ElementFilter("ims", FilterComparison("type", "eq", "xmpp"))),
    ),
]  # fmt: skip
"""RFC 7644, section 3.4.2.2, figure 1."""
MORE = [
    ('USERNAME EQ "bjensen"', NAME),
    ('  userName   eq\t"bjensen"  ', NAME),
    ('userName eq "a\\"b\\u00e9"', FilterComparison("username", "eq", 'a"bé')),
    ("active eq true", FilterComparison("active", "eq", True)),
    ("active eq False", FilterComparison("active", "eq", False)),
    ("a eq null", FilterComparison("a", "eq", None)),
    ("a eq 1.5", FilterComparison("a", "eq", 1.5)),
    ("a pr or b pr and c pr", either(FilterComparison("a", "pr"), both(FilterComparison("b", "pr"), FilterComparison("c", "pr")))),
    ("not(a pr)", Negation(FilterComparison("a", "pr"))),
    ('not eq "x"', FilterComparison("not", "eq", "x")),
    # as Entra looks for people by an address
    (
        'emails[type eq "work"].value eq "a@x.org" and a pr',
        both(ElementFilter("emails", both(TYPE, FilterComparison("value", "eq", "a@x.org"))), FilterComparison("a", "pr")),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), RFC + MORE)
def test_a_filter_is_read(text, expected):
    """``not`` before ``and`` before ``or``; names and operators in any case."""
    assert expected == read_filter(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "ends where an attribute should be"),
        ("userName", "ends where an operator"),
        ("userName eq", "ends where a value"),
        ("userName is 1", "'is' is no operator"),
        ('userName eq "a', "text that does not end"),
        ("userName eq ada", "'ada' is no value"),
        ('userName eq "a" or', "ends where an attribute"),
        ('(userName eq "a"', "lacks a ')'"),
        ('emails[type eq "a"', "lacks a ']'"),
        ('userName eq "a" "b"', "is not expected there"),
        ('a..b! eq "a"', "no name of an attribute"),
        ('emails[type eq "a"].value', "ends where an operator"),
        ('emails[type eq "a"]. eq "b"', "no name of an attribute"),
        ('userName eq "a\\u0000"', "has the character 0"),
        ("(" * 11 + "a pr" + ")" * 11, "nested more than 10"),
        ("not " * 3 + "(a pr)", "is no operator"),
        (" or ".join(["a pr"] * 51), "more than 50 comparisons"),
        ("a" * (CHARS_MAX + 1), "more than 4096 characters"),
    ],
)
def test_what_is_no_filter_is_refused(text, said):
    """With the place, and the RFC's own word."""
    with pytest.raises(ScimError, match="filter: ") as caught:
        read_filter(text)
    assert said in str(caught.value)
    assert "invalidFilter" == caught.value.scim_type


@pytest.mark.parametrize("sign", ["(", '"', "[", "not ", "a eq ", '\\"', "a.", " "])
def test_reading_takes_no_time(sign):
    """Whatever fills a filter."""
    begun = time.process_time()
    for _ in range(20):
        with pytest.raises(ScimError):
            read_filter((sign * CHARS_MAX)[:CHARS_MAX])
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    ("text", "element", "expected"),
    [
        ('type eq "WORK"', {"type": "work"}, True),
        ('type eq "work"', {}, False),
        ('type ne "work"', {}, True),
        ("type pr", {"type": ""}, False),
        ('value eq "a"', "a", True),
        ('type eq "a" or value eq "b"', {"value": "b"}, True),
        ('type eq "a" and value eq "b"', {"value": "b"}, False),
        ('not (value sw "b")', {"value": "abc"}, True),
        ('value ew "c" and value co "b"', {"Value": "abc"}, True),
        ("primary eq true", {"primary": "True"}, True),
        ("value gt 3", {"value": 4}, False),
        ('x[y eq "z"]', {"x": [{"y": "z"}]}, False),
    ],
)
def test_an_element_is_asked(text, element, expected):
    """Texts without case; what cannot be compared is not equal."""
    assert expected is holds(read_filter(text), element)


def test_names_and_orders():
    """Names are those of core schemas or of extensions; texts have an order."""
    assert "urn:x:y" == attribute_name("urn:x:Y")
    assert [False, False, True, True] == [compares(op, "a", "b") for op in ("gt", "ge", "lt", "le")]
