"""Completions streams: framed as chat streams, cut anywhere."""

from trivium.wire.completions.stream import watch


def test_no_cut_changes_what_passes_or_what_is_seen(recorded, cut_everywhere):
    """With usage asked for by the caller: every byte passes."""
    wire = recorded("completions", "usage.sse")
    out = cut_everywhere(watch, wire, asked=True)
    assert (wire, True, None) == (out.forwarded, out.finished, out.error)
    assert out.usage.output_total > 0


def test_usage_nobody_asked_for_is_taken_out(recorded, relay):
    """It is seen all the same."""
    wire = recorded("completions", "usage.sse")
    out = relay(watch, wire)
    assert b'"usage":{' not in out.forwarded.replace(b" ", b"")
    assert out.forwarded.endswith(b"data: [DONE]\n\n")
    assert out.usage.output_total > 0


def test_a_cut_stream_ends_with_an_error_and_no_sentinel(recorded, relay):
    """In the completions shape's own words."""
    out = relay(watch, recorded("completions", "cut.sse"), end=True)
    assert not out.finished
    assert b'data: {"error":{' in out.forwarded
    assert out.forwarded.endswith(b'"request_id":"req_7"}\n\n')
    assert b"[DONE]" not in out.forwarded
