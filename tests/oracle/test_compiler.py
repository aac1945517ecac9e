"""The compiler process: every way in which it may be lost, with the real thing."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from oracle.compiling.compiler import (
    Answer,
    CompilerProcess,
    CompilerUnavailable,
    Outcome,
    Request,
    Restarts,
)

FAULTY = Path(__file__).with_name("faulty_worker.py")
LIMIT = 700 << 20
WARM_AFTER = 64


def program(index: int, plant: str | None = None, padding: int = 0) -> Request:
    """A program known by its index, with a fault of the worker's or without."""
    note = "" if plant is None else f"// plant: {plant}\n"
    text = f"{note}// {'x' * padding}\nmodule {{ util.global private @g{index} : i32 }}\n"
    return Request(text, (("parse",), ("print", False), ("verify",)))


def is_program(answer: Answer, index: int) -> bool:
    return answer.outcome is Outcome.OK and f"@g{index} " in str(answer.results[1])


@pytest.fixture(params=["started", "copied"])
def faulty(request: pytest.FixtureRequest) -> Iterator[CompilerProcess]:
    """A process that answers itself, or one that is warm and lets copies answer."""
    with CompilerProcess(worker_script=FAULTY, timeout=1.5, memory_limit=LIMIT) as process:
        if request.param == "copied":
            warm(process)
        yield process


def warm(process: CompilerProcess) -> None:
    answers = process.ask([program(index) for index in range(WARM_AFTER + 1)])
    assert all(answer.outcome is Outcome.OK for answer in answers)
    assert process.pid is not None
    assert len(psutil.Process(process.pid).children()) == 1


def copy_of(process: CompilerProcess) -> psutil.Process:
    (copy,) = psutil.Process(process.pid).children()
    return copy


def test_the_process_tells_what_it_runs() -> None:
    with CompilerProcess() as process:
        assert process.release is not None
        assert process.release[0].isdigit()
        assert process.revision is None or len(process.revision) == 40


def test_answers_come_in_order() -> None:
    with CompilerProcess() as process:
        answers = list(process.ask([program(index) for index in range(50)]))
        assert list(process.ask([])) == []
    assert all(is_program(answer, index) for index, answer in enumerate(answers))
    assert all(answer.step == 3 and answer.seconds > 0 for answer in answers)
    assert process.restarts == Restarts()


def test_a_failure_is_told_in_full() -> None:
    with CompilerProcess() as process:
        (answer,) = process.ask([Request("module {\n  util.retrun\n}", [("parse",)])])
    assert (answer.outcome, answer.step, answer.kind) == (Outcome.FAILED, 0, "parse")
    location = answer.diagnostics[0].location
    assert location is not None
    assert (location.line, location.column) == (2, 3)
    assert answer.message == answer.diagnostics[0].message
    assert answer.describe().startswith("parse failed: ")


@pytest.mark.parametrize(
    ("plant", "name"), [("abort", "SIGABRT"), ("segv", "SIGSEGV"), ("kill", "SIGKILL")]
)
def test_a_signal_is_a_crash(faulty: CompilerProcess, plant: str, name: str) -> None:
    before, crash, after = faulty.ask([program(0), program(1, plant), program(2)])
    assert is_program(before, 0)
    assert is_program(after, 2)
    assert (crash.outcome, crash.signal, crash.step) == (Outcome.CRASH, name, 1)
    assert name in crash.describe()
    assert faulty.restarts == Restarts(crash=1)


def test_an_exit_is_a_crash_with_a_code_and_last_words(faulty: CompilerProcess) -> None:
    (crash,) = faulty.ask([program(1, "exit")])
    assert (crash.outcome, crash.exit_code, crash.signal) == (Outcome.CRASH, 7, None)
    assert crash.stderr == "about to leave\n"


@pytest.mark.parametrize("plant", ["hang", "stop", "compute"])
def test_a_hang_is_ended(faulty: CompilerProcess, plant: str) -> None:
    hang, after = faulty.ask([program(1, plant), program(2)])
    assert (hang.outcome, hang.step) == (Outcome.HANG, 1)
    assert hang.computing is (plant == "compute")
    # A machine that is busy keeps a process that computes from its time.
    assert 1.5 <= hang.seconds < (15 if hang.computing else 5)
    assert is_program(after, 2)
    assert faulty.restarts == Restarts(hang=1)


def test_what_no_reply_can_hold_is_no_crash() -> None:
    deep = "scf.if %x {\n" * 500 + "}\n" * 500
    text = f"util.func private @f(%x: i1) {{\n{deep}util.return\n}}"
    with CompilerProcess(timeout=60) as process:
        untold, after = process.ask([Request(text, [["parse"], ["read"]]), program(2)])
        assert (untold.outcome, untold.kind) == (Outcome.FAILED, "internal")
        assert is_program(after, 2)
        assert process.restarts == Restarts()


def test_a_process_that_eats_memory_is_ended() -> None:
    with CompilerProcess(worker_script=FAULTY, timeout=60, memory_limit=LIMIT) as process:
        eater, after = process.ask([program(1, "memory"), program(2)])
        assert eater.outcome is Outcome.MEMORY
        assert is_program(after, 2)
        assert process.restarts == Restarts(memory=1)


def test_a_batch_with_faults_in_the_middle(faulty: CompilerProcess) -> None:
    plants = {40: "abort", 41: "segv", 42: "hang", 90: "exit", 91: "memory", 150: "kill"}
    answers = list(faulty.ask([program(index, plants.get(index)) for index in range(200)]))
    assert len(answers) == 200
    assert [index for index, answer in enumerate(answers) if answer.outcome is not Outcome.OK] == [
        *plants
    ]
    assert all(is_program(answers[index], index) for index in range(200) if index not in plants)
    # Under load the memory may not pass its limit before the time has.
    lost = faulty.restarts
    assert (lost.crash, lost.hang + lost.memory) == (4, 2)


def test_texts_larger_than_every_buffer() -> None:
    with CompilerProcess() as process:
        size = 1 << 20
        batch = [
            Request(
                f'module attributes {{util.pad = "{index}{"x" * size}"}} {{}}',
                (("parse",), ("print", False)),
            )
            for index in range(8)
        ]
        answers = list(process.ask(batch))
    assert all(answer.outcome is Outcome.OK for answer in answers)
    assert all(f'"{index}x' in str(a.results[1])[:80] for index, a in enumerate(answers))


def test_small_requests_with_large_answers_and_a_slow_reader() -> None:
    text = "\n".join(f"util.global private @g{index} : i32" for index in range(200))
    with CompilerProcess() as process:
        ask = process.ask([Request(text, (("parse",), *[("read",)] * 10))] * 12)
        first = next(ask)
        time.sleep(0.5)
        assert all(answer.results == first.results for answer in ask)
        assert process.restarts == Restarts()


def test_standard_output_is_not_the_protocols(faulty: CompilerProcess) -> None:
    answers = list(faulty.ask([program(1, "noise"), program(2)]))
    assert [answer.outcome for answer in answers] == [Outcome.OK, Outcome.OK]


def test_a_crash_does_not_tell_of_what_others_wrote(faulty: CompilerProcess) -> None:
    _, crash = faulty.ask([program(1, "noise"), program(2, "segv")])
    assert "noise" not in crash.stderr


def test_a_death_between_questions_is_nobodys(faulty: CompilerProcess) -> None:
    assert faulty.pid is not None
    os.kill(faulty.pid, signal.SIGKILL)
    psutil.Process(faulty.pid).wait(10)
    (answer,) = faulty.ask([program(3)])
    assert is_program(answer, 3)


@pytest.mark.parametrize("plant", ["segv", "exit", "hang", "stop", "compute"])
def test_what_is_lost_of_a_warm_process_is_a_copy(plant: str) -> None:
    with CompilerProcess(worker_script=FAULTY, timeout=0.5) as process:
        warm(process)
        pid, copy = process.pid, copy_of(process)
        for _ in range(3):
            lost, after, last = process.ask([program(1, plant), program(2), program(3)])
            assert lost.outcome is (Outcome.CRASH if plant in ("segv", "exit") else Outcome.HANG)
            assert lost.step == 1
            assert is_program(after, 2)
            assert is_program(last, 3)
            assert process.pid == pid
            assert copy != (copy := copy_of(process))
        assert process.restarts.crash + process.restarts.hang == 3


def test_a_copy_that_dies_between_questions_takes_the_process_with_it() -> None:
    """Nobody knows whether it had begun to answer."""
    with CompilerProcess() as process:
        warm(process)
        pid, copy = process.pid, copy_of(process)
        copy.kill()
        assert psutil.Process(pid).wait(10) == -signal.SIGKILL
        (answer,) = process.ask([program(3)])
        assert is_program(answer, 3)
        assert process.pid != pid


def test_a_copy_ends_with_its_process() -> None:
    process = CompilerProcess()
    warm(process)
    copy = copy_of(process)
    process.close()
    copy.wait(10)
    with CompilerProcess(worker_script=FAULTY, timeout=60) as process:
        warm(process)
        copy, pid = copy_of(process), process.pid
        assert pid is not None
        answers = process.ask([program(1, "hang"), program(2)])
        threading.Timer(0.5, os.kill, (pid, signal.SIGKILL)).start()
        assert next(answers).signal == "SIGKILL"
        copy.wait(10)
        assert is_program(next(answers), 2)


def test_answers_that_nobody_takes_do_not_reach_the_next_question() -> None:
    with CompilerProcess() as process:
        ask = process.ask([program(index) for index in range(20)])
        assert is_program(next(ask), 0)
        with pytest.raises(RuntimeError, match="under way"):
            next(process.ask([program(0)]))
        ask.close()
        (answer,) = process.ask([program(77)])
        assert is_program(answer, 77)
        assert process.restarts == Restarts()


def test_a_closed_process_leaves_no_zombie() -> None:
    process = CompilerProcess()
    pid = process.pid
    assert pid is not None
    process.close()
    process.close()
    assert not psutil.pid_exists(pid)
    with pytest.raises(RuntimeError, match="closed"):
        next(process.ask([program(0)]))


def test_the_process_dies_with_its_parent() -> None:
    script = (
        "from pathlib import Path; from oracle.compiling.compiler import CompilerProcess, Request;"
        f"p = CompilerProcess(worker_script=Path({str(FAULTY)!r}), timeout=60);"
        "print(p.pid, flush=True); next(p.ask([Request('// plant: hang', [['parse']])]))"
    )
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=root
    ) as parent:
        assert parent.stdout is not None
        worker = psutil.Process(int(parent.stdout.readline()))
        time.sleep(0.3)
        parent.kill()
        parent.wait()
    deadline = time.monotonic() + 10
    while worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_an_interrupt_of_the_terminal_does_not_reach_the_process() -> None:
    with CompilerProcess() as process:
        assert process.pid is not None
        assert os.getsid(process.pid) == process.pid
        os.kill(process.pid, signal.SIGINT)
        (answer,) = process.ask([program(5)])
        assert is_program(answer, 5)


def test_flags_are_the_compilers_own() -> None:
    """One that is wrong is named; what they do is for the checks that use them to see."""
    wrong = "--iree-stream-partitioning-favor=nothing"
    with pytest.raises(CompilerUnavailable, match="nothing"):
        CompilerProcess(flags=[wrong])
    right = "--iree-stream-partitioning-favor=debug"
    with CompilerProcess(flags=[right]) as process:
        (answer,) = process.ask([program(1)])
        assert is_program(answer, 1)


def test_no_interpreter() -> None:
    with pytest.raises(CompilerUnavailable, match="cannot run /no/such/python: No such file"):
        CompilerProcess(Path("/no/such/python"))


def test_an_interpreter_without_iree(tmp_path: Path) -> None:
    script = tmp_path / "worker.py"
    script.write_text("import sys; sys.exit('cannot import iree.compiler: no such module')")
    with pytest.raises(CompilerUnavailable, match=r"exit code 1.*cannot import iree\.compiler"):
        CompilerProcess(worker_script=script)
