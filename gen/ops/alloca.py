"""`stream.async.alloca`."""

from __future__ import annotations

from gen.builder import Builder, Slot
from reference.ops import Alloca


def add(builder: Builder) -> Slot:
    """A value that the next op in place may overwrite; nothing reads it before."""
    home = builder.home()
    result = builder.new_value(builder.lifetime(), builder.size())
    builder.emit(Alloca(identity=builder.identity(), result=result, affinity=builder.unsaid(home)))
    return builder.define_hollow(result, home)
