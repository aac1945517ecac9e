"""The way of a program from Stream to bytecode, as named stages.

The Stream stages are those of `oracle/compiling/stages.py` with lean cleanup. What follows are the
passes of `buildHALTransformPassPipeline`
(compiler/src/iree/compiler/Dialect/HAL/Transforms/Passes.cpp) and
`buildVMTransformPassPipeline` (compiler/src/iree/compiler/Dialect/VM/Transforms/Passes.cpp)
that a program needs whose executables are there already, with lean cleanup too.
"""

from __future__ import annotations

from functools import cache

from oracle.compiling import stages
from oracle.compiling.stages import Stage
from reference.releases import release_rules

_LEFT_OUT = frozenset(
    {"fuse-dispatch-bindings", "annotate-dispatch-assumptions", "fold-uniform-operands"}
)
"""Stages that look into executables, of which there are only stubs."""

_INLINE = "inline"
_FUNCTION_LIKE = ("util.initializer", "util.func")


def _functions(*passes: str) -> str:
    return ",".join(f"{op}({','.join(passes)})" for op in _FUNCTION_LIKE)


_CLEAN = _functions("canonicalize", "cse")

HAL = (
    Stage(
        "hal-conversion",
        (
            "iree-util-verify-initialization-order",
            "iree-util-attribute-call-graph",
            "iree-hal-conversion",
        ),
    ),
    # As with `--iree-hal-memoization=false`: nothing is called twice.
    Stage(
        "hal-inline-memoize-regions",
        (_functions("iree-hal-inline-memoize-regions", "canonicalize", "cse"),),
    ),
    Stage(
        "hal-resolve-topology-queries",
        (
            "iree-hal-prune-executables",
            "iree-hal-resolve-export-ordinals",
            "iree-hal-materialize-resource-caches",
            "iree-hal-resolve-topology-queries",
        ),
    ),
    Stage("hal-elide-redundant-commands", (_functions("iree-hal-elide-redundant-commands"),)),
)
"""Up to where devices and executables become the runtime's."""

_FIRST = ("iree-affine-expand-index-ops", "iree-lower-affine")
# A call before 3.13 mixes up its arguments where they are many, which IREE's own pipeline leaves to
# few calls: known arguments are propagated first, as often as a value that one function returns may
# be what another is told.
_PROPAGATED = ("iree-util-ipo", _CLEAN) * 3
_FIRST_OF = {
    "3.11": (*_PROPAGATED, "iree-codegen-affine-expand-index-ops", "iree-codegen-lower-affine"),
    "3.12": (*_PROPAGATED, *_FIRST),
}


@cache
def stream(version: str, calls: bool) -> tuple[Stage, ...]:
    """The Stream stages of a release; the inliner, which is slow, only for programs with calls.

    Raises ValueError as `oracle.compiling.stages.pipeline` does.
    """
    found = []
    for stage in stages.pipeline(version, "lean"):
        if stage.name == _INLINE and not calls:
            found.append(Stage(stage.name, stage.passes[1:]))
        elif stage.name not in _LEFT_OUT:
            found.append(stage)
    return tuple(found)


@cache
def vm(version: str) -> tuple[Stage, ...]:
    """The stages from the HAL to what becomes bytecode."""
    first = _FIRST_OF.get(release_rules(version)[0].version, _FIRST)
    return (
        Stage(
            "vm-conversion",
            (
                *first,
                _functions("convert-scf-to-cf"),
                _CLEAN,
                "iree-vm-conversion{index-bits=64 f32-extension=true f64-extension=true"
                " optimize-for-stack-size=false truncate-unsupported-floats=true}",
            ),
        ),
        Stage(
            "vm-bytecode",
            (
                # Of what the runtime offers few programs use much: the rest is not to be looked up.
                "vm.module(symbol-dce,iree-vm-hoist-inlined-rodata,iree-vm-resolve-rodata-loads,"
                "iree-vm-global-initialization,iree-vm-drop-empty-module-initializers)",
                # Some ops have no bytecode until they are rewritten as others.
                "canonicalize",
                "vm.module(iree-vm-annotate-functions,iree-vm-convert-to-yieldable-calls,"
                "iree-vm-drop-optimization-barriers,iree-vm-materialize-ref-discards)",
            ),
        ),
    )
