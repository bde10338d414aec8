from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pi_contracts.runtime.protocol.framing import FrameSplitter, add_header, describe_excess

TEXTS = st.lists(st.binary(max_size=40), max_size=8)


@given(texts=TEXTS, data=st.data())
def test_how_a_stream_is_cut_never_matters(texts: list[bytes], data: st.DataObject) -> None:
    """TRN-16: what is taken out of a stream is what was put in, whatever the chunks."""
    stream = b"".join(map(add_header, texts))
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12).map(sorted))
    splitter = FrameSplitter(100)
    found: list[bytes] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found += splitter.feed(stream[start:end])
    assert found == texts
    assert not splitter.truncated


@given(st.lists(st.binary(max_size=20), max_size=10))
def test_any_bytes_are_taken_apart_or_refused_once(chunks: list[bytes]) -> None:
    splitter = FrameSplitter(8)
    for chunk in chunks:
        for text in splitter.feed(chunk):
            assert len(text) <= 8
        if splitter.oversized is not None:
            assert splitter.oversized > 8
            assert splitter.feed(add_header(b"later")) == []


def test_a_length_over_the_limit_is_refused_at_the_header() -> None:
    """TRN-13: nothing behind such a header is kept."""
    splitter = FrameSplitter(10)
    assert splitter.feed(add_header(b"good") + (11).to_bytes(4, "big")) == [b"good"]
    assert splitter.oversized == 11


def test_a_length_over_the_limit_is_refused_when_its_header_comes_in_two_halves() -> None:
    splitter = FrameSplitter(10)
    assert splitter.feed(b"\x7f\xff") == []
    assert splitter.oversized is None
    assert splitter.feed(b"\xff\xff") == []
    assert splitter.oversized == 0x7FFFFFFF


def test_a_text_that_has_begun_counts_as_truncated() -> None:
    """TRN-14: the end of the stream inside a frame is an error."""
    splitter = FrameSplitter(10)
    splitter.feed(add_header(b"whole") + b"\x00")
    assert splitter.truncated


def test_a_length_that_is_text_is_told_with_what_has_probably_happened() -> None:
    """A child that prints to its standard output is the likeliest cause."""
    assert describe_excess(5000, 4096) == "a frame of 5000 bytes, where 4096 are taken"
    assert describe_excess(int.from_bytes(b"hell", "big"), 4096) == (
        "a frame of 1751477356 bytes, where 4096 are taken;"
        ' its length is the text "hell": does a program print where it should not?'
    )
    assert describe_excess(2**40, 4096) == "a frame of 1099511627776 bytes, where 4096 are taken"
