"""The verbs: the steps of one request, taken one after another on one module.

What each takes and gives is told in `oracle/compiling/worker.py`; like that file, this one runs
under the interpreter of the compiler under test.
"""

import hashlib
from collections.abc import Callable, Sequence

from iree.compiler import ir

from oracle.compiling.answers import LOOKS, Json
from oracle.compiling.service import StepError, message
from oracle.compiling.workshops import Workshops

# Contexts never free what they unique (attributes, locations), hence they are replaced.
COMPILE_USES = 2048
ROUNDTRIP_USES = 256
VERBS = LOOKS | {"parse", "reparse", "run", "keep"}


class Session:
    """The steps of one request. `text` is what was parsed last."""

    def __init__(self, shops: Workshops, text: str, dialects: tuple[str, ...]) -> None:
        self._shops = shops
        self.text = text
        self._dialects = dialects
        self._shop = shops.take("compile", dialects, text, COMPILE_USES)
        self._module: ir.Module | None = None
        self._sound_text: str | None = None

    def perform(self, verb: str, arguments: Sequence[Json]) -> Json:
        """The result of one step."""
        if verb not in VERBS:
            raise StepError("internal", [message(f"no such step: {verb}")])
        action: Callable[..., Json] = getattr(self, verb)
        self._shop.heard.clear()
        with self._shop.context:
            return action(*arguments)

    def _root(self) -> ir.Operation:
        # Asked for anew by every step: a handle from before a pass is a crash after it.
        if self._module is None:
            raise StepError("internal", [message("no module: the first step is not parse")])
        return self._module.operation

    def parse(self) -> None:
        """Makes the request's text the current module."""
        self._module = self._shop.parse(self.text)

    def reparse(self) -> None:
        """Makes the current module's own text, with locations, the current module."""
        # Without aliases: to look for attributes that need some is a third of the work.
        self.text = str(self._root().get_asm(enable_debug_info=True, use_local_scope=True))
        self.parse()

    def resume(self, text: str) -> None:
        """Begins with another text than the request's."""
        self.text = text
        with self._shop.context:
            self.parse()

    def run(self, pipeline: str) -> None:
        """Runs a pass pipeline, with the verifier on, over the current module."""
        root = self._root()
        manager = self._shop.pass_manager(pipeline)
        try:
            manager.run(root)
        except ir.MLIRError as error:
            raise self._shop.failure("pass", error) from None

    def verify(self) -> None:
        """Verifies the current module."""
        try:
            self._root().verify()
        except ir.MLIRError as error:
            raise self._shop.failure("verify", error) from None

    def print(self, with_locations: bool) -> str:
        """The current module's text."""
        return str(self._root().get_asm(enable_debug_info=with_locations))

    def digest(self) -> str:
        """The SHA-256, in hexadecimal, of the current module's text with locations."""
        return hashlib.sha256(self.print(True).encode()).hexdigest()

    def roundtrip(self) -> Json:
        """Prints, parses in another context and prints again: null if both texts are equal.

        A text that came back as it was earlier in the same request is not tried again.
        """
        before = self.print(True)
        if before == self._sound_text:
            return None
        other = self._shops.take("roundtrip", self._dialects, before, ROUNDTRIP_USES)
        other.heard.clear()
        with other.context:
            try:
                again = other.parse(before)
            except StepError as refused:
                return {"before": before, "diagnostics": refused.diagnostics}
            after = str(again.operation.get_asm(enable_debug_info=True))
        if before != after:
            return {"before": before, "after": after}
        self._sound_text = before
        return None

    def read(self) -> Json:
        """The current module as nested data; values are numbered in the order they are met."""
        return self._shop.teller.read(self._root())

    def keep(self, positions: list[int]) -> None:
        """Erases the module's ops but those at these positions."""
        wanted = frozenset(positions)
        for position, op in enumerate(list(self._root().regions[0].blocks[0].operations)):
            if position not in wanted:
                op.operation.erase()

    def find(self, names: list[str]) -> Json:
        """The ops of these names, each with the ops it lies within, innermost first."""
        return self._shop.teller.find(self._root(), frozenset(names))
