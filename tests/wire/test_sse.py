"""Server-sent events on bytes: where frames end, and that cuts do not matter."""

import itertools

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.faults import Fault, Kind
from trivium.wire import sse
from trivium.wire.answer_structs import Frame
from trivium.wire.sse import unbroken

ENDS = [b"\n", b"\r\n", b"\r"]


def fed(*reads: bytes) -> tuple[bytes, bytes]:
    splitter = sse.Splitter()
    return b"".join(splitter.feed(read) for read in reads), splitter.rest


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (b"data: a\n\n", [Frame(b"", b"a")]),
        (b"data:a\n\n", [Frame(b"", b"a")]),
        (b"data:  a\n\n", [Frame(b"", b" a")]),
        (b"data\n\n", [Frame(b"", b"")]),
        (b"event: x\ndata: a\n\n", [Frame(b"x", b"a")]),
        (b"event:x\r\ndata: a\r\n\r\n", [Frame(b"x", b"a")]),
        (b"data: a\rdata: b\r\r", [Frame(b"", b"a\nb")]),
        (b"data: a\n\n\n\ndata: b\n\n", [Frame(b"", b"a"), Frame(b"", b"b")]),
        (b": OPENROUTER PROCESSING\n\n", []),
        (b"id: 7\nretry: 10\n\n", []),
        (b": c\ndata: a\n\n", [Frame(b"", b"a")]),
        (b"database: a\n\n", []),
        (
            "data: a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\n\n".encode(),
            [Frame(b"", "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg".encode())],
        ),
    ],
)
def test_blocks_become_frames(run, expected):
    """Fields, comments and the three line ends follow the standard; nothing else splits."""
    assert expected == sse.frames(run)


@pytest.mark.parametrize("end", ENDS)
def test_any_cut_gives_the_same_blocks(end):
    """Cut anywhere, also byte by byte, the same bytes come out and the same rest stays."""
    wire = end.join(
        [b"event: x", b"data: \xf0\x9f\x98\x80", b"", b": c", b"", b"data: b", b"", b"data: o"]
    )
    whole = fed(wire)
    assert b"data: o" == whole[1]
    assert whole == fed(*(bytes([byte]) for byte in wire))
    for cut in range(len(wire)):
        assert whole == fed(wire[:cut], wire[cut:])


@pytest.mark.parametrize("end", [b"\n", b"\r"])
def test_a_block_is_released_with_its_blank_line(end):
    """Nobody waits for the next frame, whichever line end the vendor uses."""
    splitter = sse.Splitter()
    one = b"data: a" + end + end
    assert [one, one] == [splitter.feed(one), splitter.feed(one)]


def test_a_carriage_return_waits_for_its_line_feed():
    """CR LF CR is not yet a blank line of a CRLF stream: the LF would open the next block."""
    splitter = sse.Splitter()
    assert b"" == splitter.feed(b"data: a\r\n\r")
    assert b"data: a\r\n\r\n" == splitter.feed(b"\n")


@given(
    st.lists(st.sampled_from([b"\n", b"\r", b"\r\n", b"data: a", b":", b"x"]), max_size=12),
    st.lists(st.integers(0, 40), max_size=4),
)
def test_nothing_is_lost_or_added(parts, cuts):
    """Blocks and rest always join to the input, for every mixture of line ends and every cut."""
    wire = b"".join(parts)
    points = sorted({0, len(wire), *(cut for cut in cuts if cut < len(wire))})
    out, rest = fed(*(wire[a:b] for a, b in itertools.pairwise(points)))
    assert wire == out + rest
    assert wire == b"".join(sse.blocks(wire))


@given(
    st.lists(st.text(alphabet="a:\u2028\x85\x0b\x1c é", max_size=8), min_size=1, max_size=5),
    st.sampled_from(ENDS),
)
def test_written_data_is_read_back(texts, end):
    """Every frame we write is the frame a reader gets, under each line end."""
    run = b"".join(sse.frame(text.encode()) for text in texts).replace(b"\n", end)
    assert [Frame(b"", text.encode()) for text in texts] == sse.frames(run)


def test_a_frame_has_its_event_line_first():
    """The event line comes before the data it names."""
    assert b"event: error\ndata: {}\n\n" == sse.frame(b"{}", b"error")


def test_a_frame_over_the_limit_is_a_fault_and_one_under_it_is_not():
    """The limit counts the open block only, however many whole ones came before."""
    splitter = sse.Splitter(limit=100)
    assert splitter.feed(b"data: a\n\n" * 100)
    splitter.feed(b"x" * 100)
    with pytest.raises(Fault) as caught:
        splitter.feed(b"x")
    assert Kind.UPSTREAM_BROKE is caught.value.kind


def test_a_long_frame_in_small_reads_comes_out_whole():
    """Twelve megabytes in one data line arrive unharmed (and without copying them each read)."""
    wire = b"data: " + b"A" * 12_000_000 + b"\n\n"
    step = 65536
    out, rest = fed(*(wire[at : at + step] for at in range(0, len(wire), step)))
    assert (wire, b"") == (out, rest)


def test_take_empties_the_splitter():
    """What was open is handed out once."""
    splitter = sse.Splitter()
    splitter.feed(b"data: a\n\ndata: b\n")
    assert (b"data: b\n", b"", b"") == (splitter.take(), splitter.take(), splitter.rest)


def test_characters_at_which_clients_split_lines_are_escaped():
    """The same text, and a line that no client splits; all else stays as it is."""
    text = "a\u2028b\u2029c\u0085d é € \u2027"
    run = b"data: " + msgspec.json.encode({"a": text}) + b"\n\n"
    found = unbroken(run)
    assert 1 == len(found.decode().strip().splitlines())
    assert {"a": text} == msgspec.json.decode(found[6:])
    assert b"data: {}\n\n" == unbroken(b"data: {}\n\n")


@pytest.mark.parametrize("cut", [1, 2, 3, 5, 99])
def test_a_byte_order_mark_before_a_stream_is_no_part_of_it(cut):
    """However it is cut; anywhere else it is the vendor's own."""
    run = b"data: 1\n\ndata: \xef\xbb\xbf2\n\n"
    splitter = sse.Splitter()
    wire = b"\xef\xbb\xbf" + run
    assert run == b"".join(splitter.feed(wire[at : at + cut]) for at in range(0, len(wire), cut))


@pytest.mark.parametrize("size", [10, 200_000])
@pytest.mark.parametrize("lines", [0, 1, 2, 7])
@pytest.mark.parametrize("at", [0, 3])
def test_the_first_blank_line_is_found_in_frames_of_any_size(size, lines, at):
    """And none where there is none."""
    frame = b"abc" + b"event: x\n" * lines + b"data: " + b"a" * size
    whole = frame + b"\n\n"
    assert len(whole) == sse.first_boundary(whole, at)
    assert len(whole) == sse.first_boundary(whole + b"\n" + frame + b"\n\n", at)
    assert 1 == sse.first_boundary(frame + b"\n", at)
    assert 1 == sse.first_boundary(frame, at)


def test_a_large_frame_is_counted_as_it_comes():
    """Of many small objects it is refused, and not kept; of a long text it is not."""
    for inside, held in ((b"{},", False), (b'"{},", ', True)):
        splitter = sse.Splitter()
        piece = inside * 10_000
        for _ in range(40):
            splitter.feed(b"data: [" + piece if not splitter.parts else piece)
        if held:
            assert splitter.feed(b"1]\n\n").endswith(b"1]\n\n")
        else:
            with pytest.raises(Fault):
                splitter.feed(b"1]\n\n")
        assert not splitter.parts


HUGE = b'{"a":"' + b"x" * sse.HUGE + b'"}'


def cut(wire, size):
    """What comes of a stream in reads of a size."""
    splitter = sse.Splitter()
    reads = [wire[at : at + size] for at in range(0, len(wire), size)]
    return [found for read in reads for found in splitter.cut(read)]


@pytest.mark.parametrize("size", [32_768, 32_771, 1_000_003])
@pytest.mark.parametrize(("head", "event"), [(b"data: ", b""), (b"event: said\ndata: ", b"said")])
def test_a_huge_frame_comes_by_itself(size, head, event):
    """Without the names of its fields, and what is around it as it was."""
    found = cut(b"data: {}\n\n" + head + HUGE + b"\n\ndata: {}\n\n: c\n\n", size)
    huge = [one for one in found if type(one) is Frame]
    assert [Frame(event, HUGE)] == huge
    at = found.index(huge[0])
    assert b"data: {}\n\n" == b"".join(found[:at])
    assert b"data: {}\n\n: c\n\n" == b"".join(found[at + 1 :])


@pytest.mark.parametrize(
    "block",
    [
        b"data: " + HUGE + b"\r\n\r\n",
        b"data: {\ndata: " + HUGE[1:] + b"\n\n",
        b"data:" + HUGE + b"\n\n",
        b": " + HUGE + b"\n\n",
        b"data: " + HUGE + b"\nid: 7\n\n",
    ],
)
def test_a_huge_frame_of_another_spelling_stays_a_run(block):
    """It is taken apart as every run is."""
    assert [block] == cut(block, 32_768)


def test_a_huge_frame_is_counted():
    """As one that is a run is."""
    crowd = b"data: [" + b"[]," * (sse.HUGE // 3 + 1) + b"[]]\n\n"
    with pytest.raises(Fault):
        cut(crowd, 32_768)


@pytest.mark.parametrize(
    "block",
    [
        b"data: a\n\n",
        b"data:a\n\n",
        b"data:  a\n\n",
        b"event: x\ndata: a\n\n",
        b"event:x\ndata: a\n\n",
        b"data: a\nevent: x\nid: 7\n: no\n\n",
        b"data: a",
        b": data: a\n\n",
        b"database: a\n\n",
        b"data: a\ndata: b\n\n",
        b"data\n\n",
        b"data: a\r\n\r\n",
    ],
)
def test_a_window_is_what_is_parsed_or_nothing(block):
    """Of one line of data; all else is left to the one that copies."""
    seen, parsed = sse.window(block), sse.parse(block)
    if seen is None:
        assert parsed is None or b"\r" in block or b"\n" in parsed.data or not parsed.data
    else:
        assert parsed == Frame(seen[0], bytes(seen[1]))


def test_blocks_without_data_are_nothing():
    """As are thousands of them in one read."""
    assert [] == sse.frames(b"\n\n" * 1000 + b": a\n\n" * 1000)
