"""What was used is counted by the written rule when the vendor did not say."""

import pytest

from trivium.conversation.usage import GeneratedImages, Usage
from trivium.ledger.unreported_usage import COUNT_MAX, is_believable, tokens, used
from trivium.wire.output_tally import OutputCount


@pytest.mark.parametrize(("size", "expected"), [(0, 0), (1, 1), (4, 1), (5, 2), (400, 100)])
def test_four_bytes_are_a_token(size, expected):
    """Rounded up."""
    assert expected == tokens(size)


def wrote(text=8, **more):
    """What was found in an answer."""
    return lambda: OutputCount(text, **more)


def unread():
    """An answer that need not be looked at."""
    raise AssertionError("it was read")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (wrote(0), Usage(fresh=7, estimated=True)),
        (wrote(9), Usage(fresh=7, output=3, estimated=True)),
        (wrote(9, reasoning=5), Usage(fresh=7, output=3, reasoning=2, estimated=True)),
        (wrote(0, pictures=2), Usage(fresh=7, image_output=2580, estimated=True)),
        (wrote(4, sound=64_000), Usage(fresh=7, output=1, audio_output=21, estimated=True)),
    ],
)
@pytest.mark.parametrize("final", [True, False])
def test_without_a_report_what_was_written_is_the_bill(written, expected, final):
    """Of a whole answer and of one that broke off."""
    assert expected == used(None, 7, written, final=final)


@pytest.mark.parametrize(
    ("reported", "final", "expected"),
    [
        (Usage(fresh=5, output=1), False, Usage(fresh=5, output=2, estimated=True)),
        (Usage(fresh=5, reasoning=9), False, Usage(fresh=5, reasoning=9, estimated=True)),
        (Usage(output=1), False, Usage(fresh=7, output=2, estimated=True)),
        (Usage(cache_read=5), False, Usage(cache_read=5, output=2, estimated=True)),
        (Usage(fresh=5), True, Usage(fresh=5, output=2, estimated=True)),
        (Usage(estimated=True), True, Usage(fresh=7, output=2, estimated=True)),
        (Usage(fresh=-5), True, Usage(fresh=7, output=2, estimated=True)),
        (Usage(output=2**53), True, Usage(fresh=7, output=2, estimated=True)),
        (None, True, Usage(fresh=7, output=2, estimated=True)),
    ],
)
def test_a_report_is_believed_as_far_as_it_goes(reported, final, expected):
    """Of a broken answer its input, and its output if that is more; of a whole one what it says,
    but not that nothing was written where something was. Nonsense is flagged.
    """
    assert expected == used(reported, 7, wrote(), final=final)


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        (Usage(fresh=5, output=1), Usage(fresh=5, output=1)),
        (Usage(reasoning=1), Usage(reasoning=1)),
        (Usage(output=2, estimated=True), Usage(fresh=7, output=2, estimated=True)),
        (Usage(fresh=5, output=2, estimated=True), Usage(fresh=5, output=2, estimated=True)),
    ],
)
def test_the_last_word_of_a_vendor_is_the_bill_and_nothing_is_read(reported, expected):
    """But for an input that it does not know."""
    assert expected == used(reported, 7, unread, final=True)


@pytest.mark.parametrize("reported", [Usage(fresh=5), Usage()])
def test_an_answer_of_nothing_stays_as_it_was_reported(reported):
    """Embeddings have no output, and it is no estimate."""
    assert reported == used(reported, 7, wrote(0), final=True)


@pytest.mark.parametrize(
    ("usage", "believed"),
    [
        (Usage(), True),
        (Usage(fresh=COUNT_MAX), True),
        (Usage(fresh=COUNT_MAX + 1), False),
        (Usage(reasoning=-1), False),
        (Usage(seconds=3600.5), True),
        (Usage(seconds=-1.0), False),
        (Usage(seconds=float("nan")), False),
        (Usage(seconds=float("inf")), False),
        (Usage(characters=-1), False),
        (Usage(searches=2), True),
        (Usage(searches=-1), False),
        (Usage(requests=2**53), False),
        (Usage(images=(GeneratedImages(count=-1),)), False),
    ],
)
def test_absurd_counters_are_told(usage, believed):
    """Negative ones, and those beyond what a vendor could mean."""
    assert believed == is_believable(usage)


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        (Usage(fresh=5), Usage(fresh=5)),
        (None, Usage(fresh=9, estimated=True)),
        (Usage(fresh=-5), Usage(fresh=9, estimated=True)),
    ],
)
def test_an_operation_that_only_reads_has_no_output(reported, expected):
    """Nothing is counted in what the caller was sent: vectors are no text."""
    assert expected == used(reported, 9, None, final=True)
