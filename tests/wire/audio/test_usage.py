"""Usage of audio: tokens, seconds, characters; and what the request itself says."""

import pytest

from trivium.conversation.usage import Usage
from trivium.wire.audio.usage import complete, reported

ROWS = {
    "tokens": (
        b'{"type":"tokens","input_tokens":20,"output_tokens":4,"input_token_details":{"text_tokens":2,"audio_tokens":18}}',
        False,
        Usage(fresh=2, audio_input=18, output=4),
    ),
    "seconds": (b'{"type":"duration","seconds":9}', False, Usage(seconds=9.0)),
    "speech": (
        b'{"input_tokens":5,"output_tokens":90,"total_tokens":95}',
        True,
        Usage(fresh=5, audio_output=90),
    ),
    "the other names": (
        b'{"prompt_tokens":20,"completion_tokens":4,"prompt_tokens_details":{"audio_tokens":9}}',
        False,
        Usage(fresh=11, audio_input=9, output=4),
    ),
    "both": (
        b'{"input_tokens":1,"output_tokens":2,"seconds":3.5}',
        False,
        Usage(fresh=1, output=2, seconds=3.5),
    ),
    "null": (b"null", False, None),
    "nothing": (b"", False, None),
    "empty": (b"{}", False, None),
    "nonsense": (b'{"input_tokens":-1}', False, None),
    "negative seconds": (b'{"seconds":-1}', False, None),
}


@pytest.mark.parametrize("name", ROWS)
def test_what_a_vendor_reports(name):
    """Nonsense is worth nothing."""
    raw, spoken, usage = ROWS[name]
    assert usage == reported(raw, spoken=spoken)


KNOWN = Usage(seconds=2.0, estimated=True)
COMPLETE = {
    "nothing reported": (None, KNOWN),
    "seconds reported": (Usage(seconds=3.0), Usage(seconds=3.0)),
    "tokens reported": (Usage(fresh=1), Usage(fresh=1, seconds=2.0, estimated=True)),
}


@pytest.mark.parametrize("name", COMPLETE)
def test_the_vendors_word_goes_first(name):
    """What it does not say is ours, estimate or not."""
    found, expected = COMPLETE[name]
    assert expected == complete(KNOWN, found)
    assert 7 == complete(Usage(characters=7), Usage(fresh=1)).characters


@pytest.mark.parametrize(
    ("told", "known", "estimated", "expected"),
    [
        (61.0, 60.0, False, 61.0),
        (10.0, 1.0, False, 10.0),  # some vendors bill ten seconds at least
        (0.0, 60.0, False, 60.0),
        (1.0, 60.0, False, 1.0),  # all the rest was silence
        (100_000.0, 60.0, False, 60.0),
        (100.0, 20.0, True, 100.0),  # what was only taken by its size says nothing against it
        (0.0, 20.0, True, 20.0),
        (7.0, None, False, 7.0),
    ],
)
def test_a_length_that_cannot_be_is_not_paid_for(told, known, estimated, expected):
    """The recording was measured: a vendor's count may differ from that, but not by as much."""
    ours = Usage(seconds=known, estimated=estimated)
    assert expected == complete(ours, Usage(seconds=told)).seconds
