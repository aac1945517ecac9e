"""The kernels that programs are run with: source for the compiler, and the same arithmetic here.

A kernel is known by what it does to each binding (`reference/values/kernels.py`), one letter each:
`r` reads, `w` reads and writes, `o` writes without reading. It reads all bytes that it may before
it writes any, and each byte that it writes depends on every byte read, on every scalar, and on
where it stands. So a wrong byte anywhere shows in every byte that comes of it.

The scalars are i64: a number that says which kernel it stands for, the numbers that the dispatch
takes, then the length of each binding in bytes.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from reference.ir import Program
from reference.values.kernels import Interfaces

# Executables are linked into one, so that their functions need names of their own.
_SYMBOL = re.compile(r"kernel_([rwo]+)_(\d+)::run_\1_\2")
_MASK = (1 << 64) - 1
# FNV's start and prime, the modulus of Adler-32 (RFC 1950), and a multiplier that spreads places.
_START = 0xCBF29CE484222325
_PRIME = 0x100000001B3
_MODULUS = 65521
_SPREAD = 0x9E3779B1
_TABLE_STEP = 1 << 12
_DISPATCHED = {"r": "ro", "w": "rw", "o": "wo"}
_ACCESS = {"r": "readonly", "w": "readwrite", "o": "readwrite"}


def kernel_symbol(letters: str, scalars: int) -> str:
    """The kernel over bindings of these letters and so many scalars, as a dispatch names it."""
    return f"kernel_{letters}_{scalars}::run_{letters}_{scalars}"


def letters_of(kernel: str) -> str | None:
    """What one of these kernels does to its bindings; None for any other kernel."""
    match = _SYMBOL.fullmatch(kernel)
    return None if match is None else match[1]


def scalars_of(kernel: str) -> int | None:
    """How many scalars one of these kernels takes; None for any other kernel."""
    match = _SYMBOL.fullmatch(kernel)
    return None if match is None else int(match[2])


class KernelInterfaces(Interfaces):
    """The bindings that these kernels write without reading them."""

    def __init__(self) -> None:
        super().__init__(Program((), ()))

    def blind(self, kernel: str, bindings: int) -> frozenset[int]:
        """The positions, of so many bindings, that are written without being read."""
        letters = letters_of(kernel)
        if letters is None:
            return super().blind(kernel, bindings)
        return frozenset(place for place, letter in enumerate(letters) if letter == "o")


def compute(
    letters: str, binding: int, scalars: Sequence[int], contents: Sequence[bytes | int], length: int
) -> bytes:
    """The first `length` bytes that a kernel leaves in one binding that it writes.

    `contents` are the bytes of what it reads; the rest is not looked at.
    """
    mark = _START
    for scalar in scalars:
        mark = (mark ^ (scalar & _MASK)) * _PRIME & _MASK
    for letter, content in zip(letters, contents, strict=False):
        if letter != "o":
            assert isinstance(content, bytes)
            mark = (mark ^ zlib.adler32(content)) * _PRIME & _MASK
    mark = (mark ^ (binding + 1)) * _PRIME & _MASK
    mark ^= mark >> 32
    written = mark.to_bytes(8, "little") * (length // 8 + 1)
    table = _table(-(-length // _TABLE_STEP) * _TABLE_STEP)
    mixed = int.from_bytes(written[:length], "little") ^ int.from_bytes(table[:length], "little")
    return mixed.to_bytes(length, "little")


@cache
def _table(length: int) -> bytes:
    """What tells the places apart."""
    return bytes(place * _SPREAD >> 24 & 0xFF for place in range(length))


@dataclass(frozen=True, slots=True)
class Executable:
    """An executable of one function. `access` has `ro`, `rw` or `wo` for each binding.

    `source` is what a person compiles; `packed` takes its scalars as pairs of i32, the low half
    first, as IREE's lowering passes them; `stub` does nothing.
    """

    name: str
    entry: str
    scalars: int
    workload: int
    access: tuple[str, ...]
    source: str
    packed: str
    stub: str


@cache
def executable(kernel: str) -> Executable:
    """The executable of one of these kernels."""
    letters, count = letters_of(kernel), scalars_of(kernel)
    assert letters is not None
    assert count is not None
    name, _, entry = kernel.partition("::")
    return _executable(name, entry, count, 0, letters, _body(letters, count))


@cache
def builtin_executable(name: str) -> Executable:
    """What IREE's own kernels for patterns of eight bytes do, without being spread over workgroups.

    They are those of compiler/src/iree/compiler/Dialect/Stream/Builtins/.
    """
    kind = "!iree_tensor_ext.dispatch.tensor<readwrite:tensor<?xi64>>"
    whole = "%v, offsets = [0], sizes = [%n], strides = [1]"
    body = [
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%n = arith.index_cast %s1 : i64 to index",
        f"%v = stream.binding.subspan %b0[%c0] : !stream.binding -> {kind}{{%n}}",
        f"%e = iree_tensor_ext.dispatch.tensor.load {whole} : {kind}{{%n}} -> tensor<?xi64>",
        "%o = scf.for %i = %c0 to %n step %c1 iter_args(%old = %e) -> (tensor<?xi64>) {",
        "  %new = tensor.insert %s0 into %old[%i] : tensor<?xi64>",
        "  scf.yield %new : tensor<?xi64>",
        "}",
        f"iree_tensor_ext.dispatch.tensor.store %o, {whole} : tensor<?xi64> -> {kind}{{%n}}",
    ]
    return _executable(name, name, 2, 1, "o", body)


BUILTINS = ("__builtin_fill_i64", "__builtin_splat_i64")


def _executable(
    name: str, entry: str, count: int, workload: int, letters: str, body: list[str]
) -> Executable:
    bindings = [f"%b{place}: !stream.binding" for place in range(len(letters))]
    wide = [f"%s{place}: i64" for place in range(count)]
    narrow = [f"%l{place}: i32, %h{place}: i32" for place in range(count)]
    unpack = ["%width = arith.constant 32 : i64"]
    for place in range(count):
        unpack += [
            f"%low_{place} = arith.extui %l{place} : i32 to i64",
            f"%high_{place} = arith.extui %h{place} : i32 to i64",
            f"%up_{place} = arith.shli %high_{place}, %width : i64",
            f"%s{place} = arith.ori %low_{place}, %up_{place} : i64",
        ]
    sized = ", ".join(f"%w{place}: index" for place in range(workload))

    def text(arguments: list[str], lines: list[str]) -> str:
        return "\n".join(
            [
                f"  stream.executable private @{name} {{",
                f"    stream.executable.export public @{entry}"
                f" workgroups({sized}) -> (index, index, index) {{",
                "      %one = arith.constant 1 : index",
                "      stream.return %one, %one, %one : index, index, index",
                "    }",
                "    builtin.module {",
                f"      func.func @{entry}({', '.join([*arguments, *bindings])}) {{",
                *(f"        {line}" for line in lines),
                "        return",
                "      }",
                "    }",
                "  }",
                "",
            ]
        )

    return Executable(
        name=name,
        entry=entry,
        scalars=count,
        workload=workload,
        access=tuple(_DISPATCHED[letter] for letter in letters),
        source=text(wide, body),
        packed=text(narrow, [*unpack, *body]),
        stub=text(wide, []),
    )


def _body(letters: str, count: int) -> list[str]:
    lines = [
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%zero = arith.constant 0 : i64",
        "%one = arith.constant 1 : i64",
        f"%start = arith.constant {_signed(_START)} : i64",
        f"%prime = arith.constant {_PRIME} : i64",
        f"%modulus = arith.constant {_MODULUS} : i64",
        f"%spread = arith.constant {_SPREAD} : i64",
        "%seven = arith.constant 7 : i64",
        "%three = arith.constant 3 : i64",
        "%half = arith.constant 16 : i64",
        "%top = arith.constant 24 : i64",
        "%word = arith.constant 32 : i64",
    ]
    mark = "%start"
    for place in range(count):
        lines += _mixed(f"%m{place}", mark, f"%s{place}")
        mark = f"%m{place}"
    for place in range(len(letters)):
        lines += [
            f"%n{place} = arith.index_cast %s{count - len(letters) + place} : i64 to index",
            f"%v{place} = stream.binding.subspan %b{place}[%c0] : !stream.binding"
            f" -> {_tensor(letters[place])}{{%n{place}}}",
        ]
    for place, letter in enumerate(letters):
        if letter != "o":
            lines += _read(place, letter)
            lines += _mixed(f"%r{place}", mark, f"%sum{place}")
            mark = f"%r{place}"
    for place, letter in enumerate(letters):
        if letter != "r":
            lines += _write(place, letter, mark)
    return lines


def _tensor(letter: str) -> str:
    return f"!iree_tensor_ext.dispatch.tensor<{_ACCESS[letter]}:tensor<?xi8>>"


def _whole(place: int) -> str:
    return f"%v{place}, offsets = [0], sizes = [%n{place}], strides = [1]"


def _mixed(name: str, mark: str, number: str) -> list[str]:
    return [
        f"{name}x = arith.xori {mark}, {number} : i64",
        f"{name} = arith.muli {name}x, %prime : i64",
    ]


def _read(place: int, letter: str) -> list[str]:
    """Adler-32 of a binding; the sums fit into 64 bits, so that one division each will do."""
    kind = f"{_tensor(letter)}{{%n{place}}}"
    return [
        f"%t{place} = iree_tensor_ext.dispatch.tensor.load {_whole(place)} : {kind}"
        " -> tensor<?xi8>",
        f"%a{place}:2 = scf.for %i = %c0 to %n{place} step %c1"
        " iter_args(%x = %one, %y = %zero) -> (i64, i64) {",
        f"  %byte = tensor.extract %t{place}[%i] : tensor<?xi8>",
        "  %wide = arith.extui %byte : i8 to i64",
        "  %x1 = arith.addi %x, %wide : i64",
        "  %y1 = arith.addi %y, %x1 : i64",
        "  scf.yield %x1, %y1 : i64, i64",
        "}",
        f"%low{place} = arith.remui %a{place}#0, %modulus : i64",
        f"%high{place} = arith.remui %a{place}#1, %modulus : i64",
        f"%up{place} = arith.shli %high{place}, %half : i64",
        f"%sum{place} = arith.ori %up{place}, %low{place} : i64",
    ]


def _write(place: int, letter: str, mark: str) -> list[str]:
    kind = f"{_tensor(letter)}{{%n{place}}}"
    return [
        f"%k{place} = arith.constant {place + 1} : i64",
        *_mixed(f"%w{place}", mark, f"%k{place}"),
        f"%f{place} = arith.shrui %w{place}, %word : i64",
        f"%g{place} = arith.xori %w{place}, %f{place} : i64",
        f"%e{place} = iree_tensor_ext.dispatch.tensor.load {_whole(place)} : {kind}"
        " -> tensor<?xi8>",
        f"%o{place} = scf.for %i = %c0 to %n{place} step %c1 iter_args(%old = %e{place})"
        " -> (tensor<?xi8>) {",
        "  %j = arith.index_cast %i : index to i64",
        "  %j8 = arith.andi %j, %seven : i64",
        "  %bits = arith.shli %j8, %three : i64",
        f"  %part = arith.shrui %g{place}, %bits : i64",
        "  %far = arith.muli %j, %spread : i64",
        "  %near = arith.shrui %far, %top : i64",
        "  %both = arith.xori %part, %near : i64",
        "  %byte = arith.trunci %both : i64 to i8",
        "  %new = tensor.insert %byte into %old[%i] : tensor<?xi8>",
        "  scf.yield %new : tensor<?xi8>",
        "}",
        f"iree_tensor_ext.dispatch.tensor.store %o{place}, {_whole(place)}"
        f" : tensor<?xi8> -> {kind}",
    ]


def _signed(bits: int) -> int:
    return bits - (1 << 64) if bits >> 63 else bits
