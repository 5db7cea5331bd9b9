"""Token probabilities of the chat and responses shapes, both ways."""

import json

import msgspec
import pytest

from trivium.conversation.parts import TokenLogprob
from trivium.conversation.shape_capabilities import Loss
from trivium.wire import caps, logprobs


def read(raw, *unread):
    return logprobs.read(msgspec.Raw(raw), *unread)


def written(found):
    return json.loads(msgspec.json.encode(logprobs.written(found)))


def test_probabilities_survive_both_ways():
    """Bytes only where they are not the token's own."""
    raw = b'[{"token":"a","logprob":-1.5,"bytes":[97],"top_logprobs":[{"token":"?","logprob":-2.0,"bytes":[255]}]}]'
    found = read(raw)
    assert (TokenLogprob("a", -1.5, (TokenLogprob("?", -2.0, (), b"\xff"),)),) == found
    assert json.loads(raw) == written(found)


def test_probabilities_come_back_as_they_were():
    """Bytes are those of the token where the vendor gave none."""
    found = (TokenLogprob("é", -0.5, (TokenLogprob("é", -0.5),)),)
    row = {"token": "é", "logprob": -0.5, "bytes": [195, 169]}
    assert [{**row, "top_logprobs": [row]}] == written(found)


@pytest.mark.parametrize("raw", [b"", b"null", b"[]", b"{}", b'[{"token":1}]'])
def test_what_cannot_be_read_is_no_probability(raw):
    """And breaks nothing."""
    assert () == read(raw)


def test_bytes_that_are_none_are_left_out():
    """Numbers above 255 are some server's mistake."""
    assert (TokenLogprob("a", -1.0),) == read(b'[{"token":"a","logprob":-1,"bytes":[300]}]')


@pytest.mark.parametrize(("rivals", "lost"), [(20, False), (60, True)])
def test_more_than_a_turn_can_make_is_left_out_and_told(rivals, lost):
    """A thousand tokens with twenty rivals each are not too many."""
    row = {"token": "a", "logprob": -1, "bytes": [97]}
    raw = json.dumps([row | {"top_logprobs": [row] * rivals}] * 1000).encode()
    told = []
    found = read(raw, lambda *loss: told.append(loss))
    assert [("logprobs", Loss.UNKNOWN)] * lost == told
    assert (0 if lost else 1000) == len(found)
    assert lost is (1000 * (rivals + 1) > caps.PROBABILITIES_MAX)


@pytest.mark.parametrize(
    ("codes", "data"), [("[97]", None), ("null", None), ("[98]", b"b"), ("[300]", None)]
)
def test_a_rival_with_odd_bytes_changes_none_of_the_others(codes, data):
    """Whatever stands beside it."""
    rows = b'{"token":"x","logprob":-2,"bytes":[255]},{"token":"a","logprob":-3,"bytes":%b}'
    raw = b'[{"token":"t","logprob":-1,"top_logprobs":[%b]}]' % (rows % codes.encode())
    rivals = (TokenLogprob("x", -2.0, (), b"\xff"), TokenLogprob("a", -3.0, (), data))
    assert (TokenLogprob("t", -1.0, rivals),) == read(raw)
