"""The way of a program from Stream to bytecode, as named stages.

The Stream stages are those of `oracle/stages.py` with lean cleanup. What follows are the passes of
`buildHALTransformPassPipeline` (compiler/src/iree/compiler/Dialect/HAL/Transforms/Passes.cpp) and
`buildVMTransformPassPipeline` (compiler/src/iree/compiler/Dialect/VM/Transforms/Passes.cpp) that a
program needs whose executables are there already, with lean cleanup too.
"""

from __future__ import annotations

from functools import cache

from oracle import stages
from oracle.stages import Stage

_LEFT_OUT = frozenset(
    {"fuse-dispatch-bindings", "annotate-dispatch-assumptions", "fold-uniform-operands"}
)
"""Stages that look into executables, of which there are only stubs."""

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
    Stage("hal-outline-memoize-regions", ("iree-hal-outline-memoize-regions", _CLEAN)),
    Stage(
        "hal-memoize-device-queries",
        (
            "iree-hal-prune-executables",
            "iree-hal-resolve-export-ordinals",
            "iree-hal-materialize-resource-caches",
            "iree-hal-resolve-topology-queries",
            "iree-hal-memoize-device-selection",
            "iree-hal-memoize-device-queries",
            _CLEAN,
        ),
    ),
    Stage("hal-elide-redundant-commands", (_functions("iree-hal-elide-redundant-commands"),)),
)
"""Up to where devices and executables become the runtime's."""

VM = (
    Stage(
        "vm-conversion",
        (
            "iree-affine-expand-index-ops",
            "iree-lower-affine",
            _functions("convert-scf-to-cf"),
            "iree-util-combine-initializers",
            _CLEAN,
            "iree-vm-conversion{index-bits=64 f32-extension=true f64-extension=true"
            " optimize-for-stack-size=false truncate-unsupported-floats=true}",
        ),
    ),
    Stage(
        "vm-bytecode",
        (
            "vm.module(iree-vm-hoist-inlined-rodata,iree-vm-resolve-rodata-loads,"
            "iree-vm-global-initialization,iree-vm-drop-empty-module-initializers,"
            "iree-vm-annotate-functions,iree-vm-convert-to-yieldable-calls,"
            "iree-vm-drop-optimization-barriers,iree-vm-materialize-ref-discards)",
        ),
    ),
)


@cache
def stream(version: str) -> tuple[Stage, ...]:
    """The Stream stages of a release. Raises ValueError as `oracle.stages.pipeline` does."""
    return tuple(stage for stage in stages.pipeline(version, "lean") if stage.name not in _LEFT_OUT)
