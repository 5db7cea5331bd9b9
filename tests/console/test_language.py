"""Languages: which one is chosen, and how each writes numbers, money and dates."""

from fractions import Fraction

import pytest

from trivium.console.language import choose, iso, speech, text

AT = 1_790_000_000


@pytest.mark.parametrize(
    ("chosen", "accepted", "tag"),
    [
        (None, "", "en"),
        (None, "zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"),
        (None, "zh-Hans-CN", "zh-Hans"),
        (None, "zh", "zh-Hans"),
        (None, "zh-TW, en;q=0.5", "en"),
        (None, "de, fr;q=0.9", "en"),
        (None, "de, zh-SG;q=0.1", "zh-Hans"),
        (None, "en;q=0.5, zh;q=0.6", "zh-Hans"),
        (None, "zh;q=0, en;q=0.1", "en"),
        (None, "en-GB", "en"),
        (None, ";;;q=,zh;q=x,*", "en"),
        ("zh-Hans", "en", "zh-Hans"),
        ("xx", "zh", "zh-Hans"),
    ],
)
def test_the_language_is_what_was_chosen_or_what_the_browser_prefers(chosen, accepted, tag):
    """English where neither says one that there is."""
    assert tag == choose(chosen, accepted)


@pytest.mark.parametrize(
    ("nanos", "shown", "exact"),
    [
        (0, "$0.00", "$0.00"),
        (12_345_678_901_234, "$12,345.68", "$12,345.678901234"),
        (-1_500_000_000, "-$1.50", "-$1.50"),
        (10_000_000, "$0.01", "$0.01"),
        (9_990_000, "$0.01", "$0.00999"),
        (1_234_567, "$0.0012", "$0.001234567"),
        (-1_234, "-$0.0000012", "-$0.000001234"),
        (1, "$0.000000001", "$0.000000001"),
    ],
)
def test_money_never_looks_like_nothing(nanos, shown, exact):
    """Cents where there are any, else the first two figures; or all of them."""
    for tag in ("en", "zh-Hans"):
        assert (shown, exact) == (speech(tag).money(nanos), speech(tag).exact(nanos))


def test_each_language_writes_in_its_own_way():
    """Dates and distances in time; UTC throughout."""
    english, chinese = speech("en"), speech("zh-Hans")
    assert ("Sep 21, 2026", "2026年9月21日") == (english.day(AT), chinese.day(AT))
    assert "Sep 21, 2026, 2:13:20\u202fPM" == english.time(AT)
    assert ("3 hours ago", "3小时前") == (english.ago(AT - 10800, AT), chinese.ago(AT - 10800, AT))
    assert "in 2 days" == english.ago(AT + 172_800, AT)
    assert ("1.2M", "123.5万") == (english.compact(1_234_567), chinese.compact(1_234_567))
    assert "2026-09-21T14:13:20Z" == iso(AT)


def test_a_message_is_said_in_the_reader_s_language():
    """With its values, numbers in the language's own writing; what has no translation as it is."""
    message = text("Please use at most %(high)s characters.", high=65536)
    assert "Please use at most 65,536 characters." == speech("en").say(message)
    assert "最多 65,536 个字符。" in speech("zh-Hans").say(message)
    assert "never heard of" == speech("zh-Hans").say("never heard of")
    assert "" == speech("zh-Hans").say("")


def test_a_price_is_whole():
    """To the twelfth decimal; what a fraction makes of it beyond that is rounded up."""
    english, chinese = speech("en"), speech("zh-Hans")
    shown = [
        english.price(Fraction(each)) for each in ("1.25", "0", "0.000000000001", "1234", "1/3")
    ]
    assert ["$1.25", "$0.00", "$0.000000000001", "$1,234.00", "$0.333333333334"] == shown
    assert "$1.25" == chinese.price(Fraction(5, 4))
