"""What is told of a module: its ops with their locations and attributes, and diagnostics.

The forms are described in `oracle/compiling/worker.py`. Like that file, this one runs under the
interpreter of the compiler under test.
"""

import math

from iree.compiler import ir

from oracle.compiling.answers import Json
from oracle.compiling.service import JsonObject

_DENSE_ARRAYS = {
    ir.DenseBoolArrayAttr: "i1",
    ir.DenseI8ArrayAttr: "i8",
    ir.DenseI16ArrayAttr: "i16",
    ir.DenseI32ArrayAttr: "i32",
    ir.DenseI64ArrayAttr: "i64",
}


def _kind_by_question(location: ir.Location) -> str:
    if location.is_a_name():
        return "NameLoc"
    if location.is_a_file():
        return "FileLineColLoc"
    if location.is_a_fused():
        return "FusedLoc"
    return "CallSiteLoc" if location.is_a_callsite() else "UnknownLoc"


def _kind_by_class(location: ir.Location) -> str:
    return type(location).__name__


# Since 3.12 each kind of location has a class, before there is one class with `is_a_…` questions.
_location_kind = _kind_by_class if hasattr(ir, "NameLoc") else _kind_by_question


def _parts(location: ir.Location) -> list[tuple[bool, str]]:
    """What a location is made of, outermost first: names, and lines of files (with False)."""
    kind = _location_kind(location)
    if kind == "NameLoc":
        return [(True, location.name_str)]
    if kind == "FileLineColLoc":
        return [(False, f"line{location.start_line}")]
    if kind == "FusedLoc":
        return [part for inner in location.locations for part in _parts(inner)]
    return _parts(location.callee) if kind == "CallSiteLoc" else []


def _names(location: ir.Location) -> list[str]:
    """The distinct names in a location; lines stand in for them where there is no name at all."""
    parts = _parts(location)
    named = any(is_name for is_name, _ in parts)
    return list(dict.fromkeys(text for is_name, text in parts if is_name or not named))


def _located(location: ir.Location) -> JsonObject:
    """Where an op is: "location" (a name), "line" and, of fused locations, "locations" (all names).

    An op inlined from elsewhere (a call site) is known by the callee's location.
    """
    kind = _location_kind(location)
    told: JsonObject = {"location": None, "line": None}
    if kind == "NameLoc":
        told["location"] = location.name_str
    elif kind == "FileLineColLoc":
        told["line"] = location.start_line
    elif kind == "CallSiteLoc":
        told = _located(location.callee)
    elif kind == "FusedLoc":
        names = _names(location)
        told["location"] = names[0] if len(names) == 1 else None
        told["locations"] = list(names)
    return told


def diagnostic(item: "ir.Diagnostic | ir.DiagnosticInfo") -> JsonObject:
    """A diagnostic as plain data: the handles die with the call that reports them."""
    # Diagnostics hold a plain Location in every release; from an attribute it gets its own class.
    place = ir.Location.from_attr(item.location.attr)
    kind = _location_kind(place)
    location: JsonObject = {"text": str(place)}
    if kind == "FileLineColLoc":
        location = {"file": place.filename, "line": place.start_line, "column": place.start_col}
    elif kind == "NameLoc":
        location = {"name": place.name_str}
    return {
        "severity": str(item.severity).rpartition(".")[2].lower(),
        "message": item.message,
        "location": location,
        "notes": [diagnostic(note) for note in item.notes],
    }


class _Ids(dict[ir.Value, int]):
    """Values numbered in the order they are met."""

    def __missing__(self, value: ir.Value) -> int:
        number = self[value] = len(self)
        return number


class _Types(dict[ir.Type, str]):
    """Types and their texts, printed once a context."""

    def __missing__(self, value: ir.Type) -> str:
        text = self[value] = str(value)
        return text


class _Places(dict[ir.Attribute, JsonObject]):
    """Locations, as attributes, and what is told of them, made once a context."""

    def __missing__(self, value: ir.Attribute) -> JsonObject:
        told = self[value] = _located(ir.Location.from_attr(value, value.context))
        return told


class _Attributes(dict[ir.Attribute, Json]):
    """Attributes and their plain forms, made once a context."""

    def __init__(self, types: _Types) -> None:
        super().__init__()
        self._types = types

    def __missing__(self, value: ir.Attribute) -> Json:
        plain = self[value] = self._plain(value)
        return plain

    def _plain(self, value: ir.Attribute) -> Json:
        plain: Json = {"text": str(value)}
        if isinstance(value, ir.BoolAttr | ir.StringAttr):
            plain = value.value
        elif isinstance(value, ir.IntegerAttr):
            plain = {"integer": value.value, "type": self._types[value.type]}
        elif isinstance(value, ir.FloatAttr) and math.isfinite(value.value):
            plain = {"float": value.value, "type": self._types[value.type]}
        elif isinstance(value, ir.FlatSymbolRefAttr):
            plain = {"symbol": [value.value]}
        elif isinstance(value, ir.SymbolRefAttr):
            plain = {"symbol": list(value.value)}
        elif isinstance(value, ir.ArrayAttr):
            plain = [self[item] for item in value]
        elif isinstance(value, ir.DictAttr):
            # `item.attr` ends the process where the bindings have no class for the attribute.
            plain = {"dictionary": {item.name: self[value[item.name]] for item in value}}
        elif isinstance(value, ir.TypeAttr):
            plain = {"type": self._types[value.value]}
        elif isinstance(value, ir.UnitAttr):
            plain = {"unit": True}
        elif (element := _DENSE_ARRAYS.get(type(value))) is not None:
            plain = {"integers": [int(item) for item in value], "type": element}
        return plain


class Teller:
    """Tells of the ops of one context. Plain forms are kept while it lives."""

    def __init__(self) -> None:
        self._types = _Types()
        self._attributes = _Attributes(self._types)
        self._places = _Places()

    def read(self, op: ir.Operation) -> JsonObject:
        """An op with all that it contains; values are numbered in the order they are met."""
        return self._read(op, _Ids())

    def find(self, op: ir.Operation, names: frozenset[str]) -> list[Json]:
        """The ops of these names in `op`, each with the ops it lies within, innermost first."""
        found: list[Json] = []
        self._find(op, names, [], found)
        return found

    def _describe(self, op: ir.Operation) -> JsonObject:
        """An op's name, location and attributes, properties included."""
        plain, attributes = self._attributes, op.attributes
        entry: JsonObject = {"name": op.name, **self._places[op.location.attr]}
        try:
            # To ask for the items of none costs as much as for those of some.
            items = attributes.items() if len(attributes) else ()
            entry["attributes"] = {name: plain[value] for name, value in items}
        except TypeError:
            entry["attributes"] = self._one_by_one(attributes)
        return entry

    def _one_by_one(self, attributes: ir.OpAttributeMap) -> JsonObject:
        """Attributes some of which the bindings cannot hand out, having no class for them (dense
        ones of complex numbers): those are told as they are printed together with their names."""
        told: JsonObject = {}
        for place, name in enumerate(attributes):
            try:
                told[name] = self._attributes[attributes[name]]
            except TypeError:
                printed = repr(attributes[place]).removeprefix(f"NamedAttribute({name}=")
                told[name] = {"text": printed.removesuffix(")")}
        return told

    def _read(self, op: ir.Operation, ids: _Ids) -> JsonObject:
        """An op with all that it contains; its successors are its block's to tell."""
        types = self._types
        entry = self._describe(op)
        entry["operands"] = [ids[value] for value in op.operands]
        entry["results"] = [[ids[value], types[value.type]] for value in op.results]
        regions: list[Json] = []
        for region in op.regions if len(op.regions) else ():
            blocks = list(region.blocks)
            branches = len(blocks) > 1
            read_blocks: list[Json] = []
            for block in blocks:
                arguments: list[Json] = [[ids[v], types[v.type]] for v in block.arguments]
                inner: list[Json] = []
                for child in block.operations:
                    child_op = child.operation
                    told = self._read(child_op, ids)
                    if branches:
                        targets = child_op.successors
                        told["successors"] = [blocks.index(target) for target in targets]
                    inner.append(told)
                read_blocks.append({"arguments": arguments, "operations": inner})
            regions.append(read_blocks)
        entry["regions"] = regions
        entry["successors"] = []
        return entry

    def _find(
        self, op: ir.Operation, names: frozenset[str], around: list[Json], found: list[Json]
    ) -> None:
        """Appends to `found` the ops of these names in `op`, which lies within `around`."""
        types = self._types
        within: list[Json] | None = None
        for region in op.regions:
            for block in region.blocks:
                for child in block.operations:
                    child_op = child.operation
                    wanted = child_op.name in names
                    if within is None and (wanted or len(child_op.regions)):
                        within = [self._describe(op), *around]
                    if wanted:
                        entry = self._describe(child_op)
                        entry["operand_types"] = [types[v.type] for v in child_op.operands]
                        entry["result_types"] = [types[v.type] for v in child_op.results]
                        entry["within"] = within
                        found.append(entry)
                    if within is not None and len(child_op.regions):
                        self._find(child_op, names, within, found)
