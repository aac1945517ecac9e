from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.values.constants import constant_content
from reference.values.content import (
    EMPTY,
    LONGEST_LITERAL,
    Content,
    OutOfBoundsError,
    Repeat,
    agrees,
    first_difference,
    literal,
    made_of,
    repeated,
)
from reference.values.description import describe
from reference.values.terms import UNWRITTEN, Terms

LONG = 3 * LONGEST_LITERAL
TERMS = Terms()
ONE, OTHER = TERMS.input("one"), TERMS.input("other")


def bytes_of(content: Content) -> list[object]:
    """Byte by byte: where it comes from."""
    found: list[object] = []
    for source, offset, length in content.pieces:
        for place in range(length):
            if isinstance(source, bytes):
                found.append(source[place])
            elif isinstance(source, Repeat):
                found.append(source.pattern[place % len(source.pattern)])
            else:
                found.append(source if source is UNWRITTEN else (source, offset + place))
    return found


@st.composite
def contents(draw: st.DrawFn, length: int = 24) -> Content:
    kind = draw(st.sampled_from(["bytes", "one", "other", "unwritten"]))
    if kind == "bytes":
        return literal(draw(st.binary(min_size=length, max_size=length)))
    if kind == "unwritten":
        return made_of(UNWRITTEN, length)
    return made_of(ONE if kind == "one" else OTHER, length, draw(st.integers(0, 3)))


@st.composite
def spans(draw: st.DrawFn, length: int = 24) -> tuple[int, int]:
    start = draw(st.integers(0, length))
    return start, draw(st.integers(0, length - start))


@given(contents(), st.lists(st.tuples(spans(), contents(), spans()), max_size=6))
def test_a_write_changes_its_bytes_and_no_others(start, writes):
    content, expected = start, bytes_of(start)
    for (place, length), source, (first, _) in writes:
        first = min(first, 24 - length)
        part = source.part(first, length)
        expected[place : place + length] = bytes_of(source)[first : first + length]
        content = content.with_part(place, part)
        assert bytes_of(content) == expected
        assert sum(piece[2] for piece in content.pieces) == content.length == 24


@given(contents(), spans())
def test_a_part_put_back_changes_nothing(content, span):
    start, length = span
    part = content.part(start, length)
    assert part.length == length
    assert content.with_part(start, part) == content


@given(contents(), contents(), spans())
def test_equal_bytes_have_one_form(content, other, span):
    """However they were put together."""
    start, _ = span
    halves = content.part(0, start), content.part(start, 24 - start)
    joined = other.with_part(0, halves[0]).with_part(start, halves[1])
    assert joined == content
    assert joined.digest(TERMS) == content.digest(TERMS)
    assert bytes_of(joined) == bytes_of(content)


@given(st.binary(min_size=1, max_size=4), st.binary(max_size=6), st.binary(max_size=6))
def test_long_runs_have_one_form(pattern, before, after):
    """A run with known bytes on both sides, put together in two orders."""
    run = repeated(pattern, LONG)
    whole = made_of(ONE, LONG + 12)
    pieces = [(6 - len(before), literal(before)), (6, run), (LONG + 6, literal(after))]
    forwards = backwards = whole
    for place, piece in pieces:
        forwards = forwards.with_part(place, piece)
    for place, piece in reversed(pieces):
        backwards = backwards.with_part(place, piece)
    assert bytes_of(forwards) == bytes_of(backwards)
    assert forwards == backwards
    assert len(forwards.pieces) <= 5


def test_runs_next_to_each_other():
    zeros, ones = repeated(b"\0", LONG), repeated(b"\1", LONG)
    two = repeated(b"\0", 2 * LONG)
    assert two.with_part(LONG, zeros) == repeated(b"\0\0", 2 * LONG)
    assert [piece[2] for piece in two.with_part(LONG, ones).pieces] == [LONG, LONG]
    # The second run starts with what the first would go on with.
    mixed = two.with_part(LONG, repeated(b"\0\1", LONG))
    assert [piece[2] for piece in mixed.pieces] == [LONG + 1, LONG - 1]
    assert mixed.part(LONG - 1, 4) == literal(b"\0\0\1\0")
    assert mixed.part(LONG, LONG) == repeated(b"\0\1", LONG)


def test_a_pattern_is_repeated_from_its_first_byte():
    assert repeated(b"\1\2", 5) == literal(b"\1\2\1\2\1")
    assert repeated(b"\1", 0) == EMPTY
    assert repeated(b"\7\0\0\0", LONG).part(2, LONG - 4).part(0, 4) == literal(b"\0\0\7\0")
    assert repeated(b"\7" * 4, LONG).pieces == ((Repeat(b"\7"), 0, LONG),)


@pytest.mark.parametrize(("start", "length"), [(-1, 2), (3, 6), (0, -1), (9, 0)])
def test_no_bytes_beyond_the_end(start, length):
    with pytest.raises(OutOfBoundsError):
        literal(bytes(8)).part(start, length)
    if length >= 0:
        with pytest.raises(OutOfBoundsError):
            literal(bytes(8)).with_part(start, literal(bytes(length)))


def test_known_bytes():
    assert literal(b"\1\2").known() == b"\1\2"
    assert EMPTY.known() == b""
    assert made_of(ONE, 2).known() is None
    assert repeated(b"\1", LONG).known() == b"\1" * LONG


def test_terms_are_one_object_an_origin():
    terms = Terms()
    contents = (literal(b"\1"), 8)
    assert terms.input("x") is terms.input("x")
    assert terms.kernel("k", 1, (2,), contents) is terms.kernel("k", 1, (2,), contents)
    assert terms.kernel("k", 0, (2,), contents) is not terms.kernel("k", 1, (2,), contents)
    assert terms.input("x") is not terms.foreign("x")


def test_a_digest_is_of_the_structure():
    contents = (made_of(ONE, 4), literal(b"\1"), 3)
    one, other = (Terms().kernel("k", 0, (1,), contents) for _ in range(2))
    assert one is not other
    assert TERMS.digest(one) == TERMS.digest(other) == TERMS.digest(one)
    assert TERMS.digest(one) != TERMS.digest(Terms().kernel("k", 0, (2,), contents))


def kernel(*contents: Content | int, name: str = "k") -> Content:
    return made_of(TERMS.kernel(name, 0, (), contents), 8)


UNSAID = made_of(UNWRITTEN, 8)


@pytest.mark.parametrize(
    ("expected", "actual", "first"),
    [
        (literal(b"\1\2"), literal(b"\1\2"), None),
        (literal(b"\1\2"), literal(b"\1\3"), 1),
        (literal(b"\1\2"), made_of(ONE, 2), 0),
        (literal(b"\1\2"), literal(b"\1\2\3"), 2),
        (UNSAID, literal(bytes(8)), None),
        (literal(bytes(8)), UNSAID, 0),
        (UNSAID.with_part(2, literal(b"\1")), literal(b"\0\0\1\0\0\0\0\0"), None),
        (UNSAID.with_part(2, literal(b"\1")), literal(b"\0\0\2\0\0\0\0\0"), 2),
        (kernel(UNSAID), kernel(made_of(ONE, 8)), None),
        (kernel(UNSAID, kernel(UNSAID)), kernel(UNSAID, kernel(made_of(ONE, 8))), None),
        (kernel(UNSAID, UNSAID), kernel(made_of(ONE, 8), made_of(OTHER, 8)), None),
        (kernel(UNSAID, 4), kernel(made_of(ONE, 8), 5), 0),
        (kernel(UNSAID, 4), kernel(made_of(ONE, 8), made_of(ONE, 4)), 0),
        (kernel(UNSAID), kernel(made_of(ONE, 8), name="other"), 0),
        (kernel(UNSAID.with_part(0, literal(b"\1"))), kernel(made_of(ONE, 8)), 0),
        (kernel(UNSAID), kernel(made_of(ONE, 4)), 0),
        (made_of(ONE, 8), made_of(ONE, 8, 1), 0),
        (made_of(ONE, 8), made_of(OTHER, 8), 0),
        (repeated(b"\0", LONG), repeated(b"\1", LONG), 0),
    ],
)
def test_unwritten_bytes_may_be_any(expected, actual, first):
    assert agrees(expected, actual) == (first is None)
    assert first_difference(expected, actual) == first


def test_what_was_found_to_agree_is_not_asked_again():
    """A term that stands in many places costs no more than in one."""
    mine, theirs = UNSAID, made_of(ONE, 8)
    for _ in range(64):
        mine, theirs = kernel(mine, mine), kernel(theirs, theirs)
    assert agrees(mine, theirs)


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        ("dense<9> : tensor<4xi8>", b"\x09" * 4),
        ("dense<-1> : tensor<2xi16>", b"\xff" * 4),
        ("dense<[1, 2]> : tensor<2xi32>", b"\1\0\0\0\2\0\0\0"),
        ("dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>", b"\1\2\3\4"),
        ("dense<7> : tensor<i32>", b"\7\0\0\0"),
        ('dense<"0x01020304"> : tensor<2xi16>', b"\1\2\3\4"),
        ("dense<1.000000e+00> : tensor<1xf32>", b"\0\0\x80\x3f"),
        ("dense<0x7FC00000> : tensor<1xf32>", b"\0\0\xc0\x7f"),
        ("dense<1.000000e+00> : tensor<1xf16>", b"\0\x3c"),
        ("dense<[1.5, -2.0]> : tensor<2xf64>", b"\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\0\xc0"),
        ("dense<> : tensor<0xi32>", b""),
    ],
)
def test_the_bytes_of_a_constant(elements, expected):
    assert constant_content(elements, len(expected), TERMS).known() == expected


@pytest.mark.parametrize(
    "elements",
    [
        "dense<true> : tensor<8xi1>",
        "dense<(1.0, 2.0)> : tensor<1xcomplex<f32>>",
        "dense<1.0> : tensor<1xf8>",
        "dense<x> : tensor<2xi32>",
        "dense<[1, 2, 3]> : tensor<2xi32>",
        "dense<[1, 2]> : tensor<3xi32>",
        "dense<0xFFFF> : tensor<8xi8>",
        "#util.byte_pattern<1> : tensor<8xi8>",
    ],
)
def test_elements_that_cannot_be_told_are_a_term(elements):
    content = constant_content(elements, 8, TERMS)
    assert content.known() is None
    assert content == constant_content(elements, 8, TERMS)


def test_contents_in_words():
    deep = kernel(kernel(kernel(kernel(literal(b"\1")))))
    text = describe(
        made_of(ONE, 40)
        .with_part(0, literal(b"\1\2"))
        .with_part(4, UNSAID)
        .with_part(16, kernel(literal(b"\1"), 4))
        .with_part(32, deep)
    )
    assert text.splitlines() == [
        "bytes 0 to 2: 01 02",
        "bytes 2 to 4: from byte 2 of one",
        "bytes 4 to 12: nobody's",
        "bytes 12 to 16: from byte 12 of one",
        "bytes 16 to 24: binding 0 of @k([01 for 1], 4 bytes to write)",
        "bytes 24 to 32: from byte 24 of one",
        "bytes 32 to 40: binding 0 of @k([binding 0 of @k([binding 0 of @k([@k(…) for 8]) for 8]) "
        "for 8])",
    ]
    assert describe(EMPTY) == "no bytes"
    assert describe(7) == "7 (0x7)"
    assert describe(repeated(b"\1", LONG)) == f"bytes 0 to {LONG}: 01 over and over"
    assert describe(literal(bytes(20))).endswith("00 …")
    assert "2, 3)" in describe(made_of(TERMS.kernel("k", 0, (2, 3), ()), 4))
