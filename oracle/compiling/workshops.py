"""Contexts of the compiler, each with its pass managers, which are replaced when worn.

Like `oracle/compiling/worker.py`, this runs under the interpreter of the compiler under test.
"""

from collections.abc import Sequence

from iree.compiler import ir, passmanager

from oracle.compiling.answers import Json
from oracle.compiling.service import StepError, message
from oracle.compiling.telling import Teller, diagnostic


class Workshop:
    """A context, with the pass managers and the plain forms that are kept while it lives."""

    def __init__(self, dialects: Sequence[str]) -> None:
        self.context = ir.Context(load_on_create_dialects=list(dialects))
        self.context.enable_multithreading(False)
        self.uses = 0
        self.heard: list[Json] = []
        self.teller = Teller()
        self._pass_managers: dict[str, passmanager.PassManager] = {}
        heard = self.heard

        def hear(said: ir.Diagnostic) -> bool:
            heard.append(diagnostic(said))
            return True

        self._handler = self.context.attach_diagnostic_handler(hear)

    def close(self) -> None:
        """Lets the context go: an attached handler would keep it alive."""
        self._handler.detach()

    def failure(self, kind: str, error: ir.MLIRError) -> StepError:
        """The failure of a step: errors come with the exception, all else through the handler."""
        # IREE 3.10 and older hand all of them to the handler.
        told = getattr(error, "error_diagnostics", ())
        errors: list[Json] = [diagnostic(item) for item in told]
        return StepError(kind, [*errors, *(item for item in self.heard if item not in errors)])

    def parse(self, text: str) -> ir.Module:
        """The module that a text denotes, or a `StepError` of kind "parse"."""
        self.uses += 1
        try:
            return ir.Module.parse(text)
        except ir.MLIRError as error:
            raise self.failure("parse", error) from None

    def pass_manager(self, pipeline: str) -> passmanager.PassManager:
        """The pass manager of a pipeline text such as ``builtin.module(canonicalize)``."""
        manager = self._pass_managers.get(pipeline)
        if manager is None:
            try:
                manager = passmanager.PassManager.parse(pipeline)
            except ValueError as error:
                raise StepError("unknown-pass", [message(str(error))]) from None
            manager.enable_verifier(True)
            self._pass_managers[pipeline] = manager
        return manager


class Workshops:
    """The contexts of this process, one a purpose and set of dialects, replaced when worn."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, tuple[str, ...]], Workshop] = {}

    def take(self, purpose: str, dialects: tuple[str, ...], text: str, limit: int) -> Workshop:
        """A context to parse `text` in, `limit` being the uses after which it is replaced."""
        shop = self._kept.get((purpose, dialects))
        if shop is None or shop.uses >= limit:
            if shop is not None:
                shop.close()
            shop = self._kept[purpose, dialects] = Workshop(dialects)
        if "dense_resource" in text:
            # A resource's name is taken for as long as the context lives: the next module that
            # says `dense_resource<x>` would be given `x_1`.
            shop.uses = limit
        return shop
