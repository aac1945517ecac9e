"""Which tests of a change a diff holds, whole or in part."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

from oracle.seeds.diffs import Changes, DiffError, changes, is_diff
from oracle.seeds.given import SeedsError, given
from oracle.seeds.items import Line, items

ONE = """\
// RUN: iree-opt %s

util.global private @device_a : !hal.device

// CHECK-LABEL: @one
util.func private @one(%arg0: !stream.resource<transient>, %arg1: index)
    -> !stream.resource<transient> attributes {note = "not a } brace"} {
  // CHECK: stream.async.clone {
  %0 = stream.async.clone %arg0 : !stream.resource<transient>{%arg1} -> !stream.resource<transient>{%arg1}
  %1 = stream.async.clone %0 : !stream.resource<transient>{%arg1} -> !stream.resource<transient>{%arg1}
  %2 = stream.async.clone %1 : !stream.resource<transient>{%arg1} -> !stream.resource<transient>{%arg1}
  %3 = stream.async.clone %2 : !stream.resource<transient>{%arg1} -> !stream.resource<transient>{%arg1}
  %4 = stream.async.clone %3 : !stream.resource<transient>{%arg1} -> !stream.resource<transient>{%arg1}
  %5 = stream.async.clone %4 : !stream.resource<transient>{%arg1} -> !stream.resource<transient>{%arg1}
  %6 = stream.async.clone %5 : !stream.resource<transient>{%arg1} -> !stream.resource<transient>{%arg1}
  util.return %6 : !stream.resource<transient>
}

// -----

module {
  // CHECK-LABEL: @two
  util.func public @two() {
    util.return
  }

  // CHECK-LABEL: @three
  util.func public @three(%arg0: index) -> index {
    util.return %arg0 : index
  }
}
"""  # noqa: E501
FOUR = """
// -----

util.func private @declared(%arg0: index)

util.func public @four(%arg0: index) -> index {
  util.return %arg0 : index
}
"""


def diff(before: str, after: str, path: str = "test/a.mlir", context: int = 3) -> str:
    """The unified diff of one file, with the head of the function that a hunk begins in."""
    made = []
    lines = before.splitlines()
    names = (f"a/{path}", f"b/{path}")
    for line in difflib.unified_diff(lines, after.splitlines(), *names, "", "", context, ""):
        if line.startswith("@@"):
            start = int(line.split()[1].lstrip("-").partition(",")[0])
            heads = [one for one in lines[: start - 1] if "util.func" in one and one[0] != " "]
            line = f"{line} {heads[-1]}" if heads else line
        made.append(line)
    return "\n".join(made) + "\n"


def added(text: str, path: str = "test/new.mlir") -> str:
    body = "".join(f"+{line}\n" for line in text.splitlines())
    count = len(text.splitlines())
    return (
        f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
        f"@@ -0,0 +1,{count} @@\n{body}"
    )


def named(found: Changes) -> list[tuple[str, ...] | None]:
    return [one.functions for one in found.modules]


def test_a_file_that_is_added_is_there_whole() -> None:
    found = changes("Subject: a change\n\nIt adds a test.\n\n" + added(ONE))
    assert named(found) == [("one",), ("two", "three")]
    assert found.notes == ()
    first, second = found.modules
    assert (first.path, first.line, second.line) == ("test/new.mlir", 1, 20)
    assert f"{first.text}\n// -----\n{second.text}\n" == ONE


def test_a_function_that_is_added_to_a_file_is_there_whole() -> None:
    found = changes(diff(ONE, ONE + FOUR))
    assert named(found) == [("declared", "four")]
    assert found.notes == ()
    assert found.modules[0].text.strip() == FOUR.partition("// -----")[2].strip()


def test_a_hunk_that_holds_a_part_of_a_function_says_so_by_name(tmp_path: Path) -> None:
    change = diff(ONE, ONE.replace("%3 = stream.async.clone %2", "%3 = stream.async.clone %1"))
    found = changes(change)
    assert found.modules == ()
    (note,) = found.notes
    assert note.startswith("test/a.mlir:9: @one is there only in part")
    # It begins with the head, and the end is missing.
    found = changes(diff(ONE, ONE.replace("CHECK-LABEL: @one", "CHECK-LABEL: @uno")))
    assert named(found) == []
    assert found.notes == ()  # The comment before it is no part of it.
    found = changes(diff(ONE, ONE.replace("not a }", "no {"), context=1))
    assert "test/a.mlir:6: @one" in found.notes[0]
    # A file with nothing else is refused, with the reason.
    file = tmp_path / "change.diff"
    file.write_text(change)
    with pytest.raises(SeedsError, match=r"no module[^@]*@one is there only in part"):
        given([file])


def test_whole_functions_of_a_module_that_is_not_whole() -> None:
    changed = ONE.replace("@three(%arg0: index) -> index {\n    util.return %arg0",
                          "@three(%arg0: index) -> index {\n    util.return %arg0 ")  # fmt: skip
    found = changes(diff(ONE, changed))
    assert named(found) == [("three",)]
    # The end of @two, and of the module around both, are not taken.
    text = found.modules[0].text.strip()
    assert text.startswith("util.func public @three")
    assert text.endswith("}\n") or text.endswith("  }")
    assert text.count("}") == 1


@pytest.mark.parametrize("applied", [False, True])
def test_the_repository_gives_functions_whole(tmp_path: Path, applied: bool) -> None:
    after = ONE.replace("%3 = stream.async.clone %2", "%3 = stream.async.clone %1")
    (tmp_path / "test").mkdir()
    (tmp_path / "test/a.mlir").write_text(after if applied else ONE)
    found = changes(diff(ONE, after), tmp_path)
    assert named(found) == [("one",)]
    assert found.notes == ()
    assert found.modules[0].text == after.partition("\n// -----")[0]


def test_a_repository_of_another_time(tmp_path: Path) -> None:
    after = ONE.replace("%3 = stream.async.clone %2", "%3 = stream.async.clone %1")
    found = changes(diff(ONE, after), tmp_path)
    assert "cannot be read" in found.notes[0]
    assert "@one" in found.notes[1]
    (tmp_path / "test").mkdir()
    (tmp_path / "test/a.mlir").write_text(ONE.replace("%2", "%0"))
    found = changes(diff(ONE, after), tmp_path)
    assert "neither as before nor as after" in found.notes[0]


def test_a_line_that_is_taken_away_changes_a_function() -> None:
    line = "  // CHECK: stream.async.clone {\n"
    assert named(changes(diff(ONE, ONE.replace(line, ""), context=20))) == [("one",)]


def test_a_global_changes_all_functions_of_its_module() -> None:
    after = ONE.replace("@device_a", "@device_b")
    assert named(changes(diff(ONE, after, context=20))) == [None]


def test_other_files_count_for_nothing() -> None:
    found = changes(diff("a\nb\n", "a\nc\n", "lib/Pass.cpp") + diff(ONE, ONE + FOUR))
    assert named(found) == [("declared", "four")]
    removed = added(ONE).replace("new file", "deleted file").replace("--- /dev/null", "--- a/x")
    removed = removed.replace("+++ b/test/new.mlir", "+++ /dev/null").replace("\n+", "\n-")
    removed = removed.replace("-++ /dev", "+++ /dev").replace("-0,0 +1,31", "-1,31 +0,0")
    assert named(changes(removed)) == []


def test_a_diff_that_lost_its_blanks() -> None:
    """As a form on the web gives it back: no blank at the start of a line, no empty context."""
    text = "A change\n---------\n" + added(ONE) + diff(ONE, ONE + FOUR)
    lost = "\n".join(
        line.rstrip() if line[:1] in "+-" else line.strip()
        for line in text.splitlines()
        if line.strip()
    )
    found = changes(lost)
    assert named(found) == [("one",), ("two", "three"), ("declared", "four")]


def test_what_is_no_diff(tmp_path: Path) -> None:
    assert not is_diff(ONE)
    assert is_diff(diff(ONE, ONE + FOUR))
    with pytest.raises(DiffError):
        changes("@@ -1 +1 @@\n-a\n+b\n" + diff(ONE, ONE + FOUR))
    (tmp_path / "empty").mkdir()
    with pytest.raises(SeedsError, match="holds no module"):
        given([tmp_path / "empty"])
    (tmp_path / "binary.mlir").write_bytes(b"\xff\xfe")
    with pytest.raises(SeedsError, match="not UTF-8"):
        given([tmp_path / "binary.mlir"])


def test_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below/a.mlir").write_text(ONE)
    (tmp_path / "below/notes.txt").write_text("nothing")
    found = given([tmp_path, tmp_path / "below/a.mlir"])
    assert [(Path(one.name).name, one.line) for one in found.texts] == [
        ("a.mlir", 1),
        ("a.mlir", 19),
    ]
    assert all(one.functions is None for one in found.texts)


def test_items_of_a_whole_module() -> None:
    lines = [Line(number, text, False) for number, text in enumerate(ONE.splitlines(), 1)]
    found = list(items(lines))
    assert [(one.function, one.whole) for one in found] == [
        (None, True), ("one", True), ("two", True), ("three", True),
    ]  # fmt: skip
    assert [len(one.lines) for one in found] == [1, 12, 3, 3]
