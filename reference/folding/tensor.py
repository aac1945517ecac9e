"""`stream.tensor.import` and `stream.tensor.export`: `TensorImportOp` and `TensorExportOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp."""

from __future__ import annotations

from reference.folding.constants import same_value
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import Pattern, Rules
from reference.ops import Export, Import
from reference.types import Value


def fold_import_of_export(rewriter: Rewriter, node: Node) -> tuple[Value] | None:
    """`fold`: what was exported on the same affinity with the same size comes back as it was.

    The export's source may have another lifetime than the import's result.
    """
    imported = node.current
    assert isinstance(imported, Import)
    exported = rewriter.defining(imported.source, Export)
    if exported is None or exported.affinity != imported.affinity:
        return None
    same_size = same_value(imported.result.size, exported.source.size)
    return (exported.source,) if same_size else None


def fold_export_of_import(rewriter: Rewriter, node: Node) -> tuple[Value] | None:
    """`fold`: what was imported and is exported with the same properties is the import's source."""
    exported = node.current
    assert isinstance(exported, Export)
    imported = rewriter.defining(exported.source, Import)
    if imported is None or imported.source.type != exported.result.type:
        return None
    alike = (
        exported.encoding == imported.encoding
        and exported.affinity == imported.affinity
        and len(exported.dimensions) == len(imported.dimensions)
        and all(map(same_value, exported.dimensions, imported.dimensions))
        and same_value(exported.source.size, imported.result.size)
    )
    return (imported.source,) if alike else None


def deduplicate(rewriter: Rewriter, node: Node) -> bool:
    """`DeduplicateTensorOp` (#24655): an import or export equal to one before it in its block."""
    if not rewriter.release.deduplicates_imports_and_exports:
        return False
    source = node.inputs[0]
    assert isinstance(source, Value)
    equal = [
        user
        for user in rewriter.body.users(source)
        if user.kind is node.kind
        and user.block is node.block
        and user.order < node.order
        and _alike(user, node)
    ]
    if not equal:
        return False
    rewriter.replace(node, max(equal, key=lambda user: user.order).results)
    return True


def _alike(left: Node, right: Node) -> bool:
    """`OperationEquivalence::isEquivalentTo`, locations apart."""
    one, other = left.current, right.current
    assert isinstance(one, Import | Export)
    assert isinstance(other, Import | Export)
    return (
        one.encoding == other.encoding
        and one.affinity == other.affinity
        and one.result.type == other.result.type
        and len(left.inputs) == len(right.inputs)
        and all(map(same_value, left.inputs, right.inputs))
    )


IMPORT = Rules(fold_import_of_export, (Pattern(deduplicate),))
EXPORT = Rules(fold_export_of_import, (Pattern(deduplicate),))
