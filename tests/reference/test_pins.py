from __future__ import annotations

from dataclasses import dataclass

from answers import NEWEST, pinned
from flow import (
    awaited,
    ended,
    func,
    initializer,
    module,
    opaque,
    select,
    transients,
)
from straight import (
    A0,
    EXTERNAL,
    A,
    B,
    barrier,
    dispatch,
    exported,
    fill,
    imported,
    load,
    program,
    resource,
    splat,
    transfer,
    update,
)

from reference.analysis.pins import program_pins
from reference.ir import Operation

S = resource("s", EXTERNAL)


def pins(*operations, returned=()):
    """The pins of straight-line code by the names of the values."""
    return pinned(program(operations, *returned))


def test_an_export_claims_its_source():
    made = splat("made", A, EXTERNAL)
    assert pins(made, exported("out", made, B)) == {"made": (B,)}


def test_without_an_affinity_neither_import_nor_export_pins():
    given = imported("given", None)
    assert pins(given, fill("filled", given, A), exported("out", given, None)) == {}


def test_an_export_claims_upwards_through_ties():
    made = splat("made", A, EXTERNAL)
    filled = fill("filled", made, A)
    fenced = barrier("fenced", filled, A)
    found = pins(made, filled, fenced, exported("out", fenced, B))
    assert found == {"made": (B,), "filled": (B,), "fenced": (B,)}


def test_a_transfer_is_no_tie():
    made = splat("made", A, EXTERNAL)
    moved = transfer("moved", made, A, B)
    assert pins(made, moved, exported("out", moved, B)) == {"moved": (B,)}


def test_the_upward_walk_never_claims_an_argument():
    argument = resource("argument", EXTERNAL)
    filled = fill("filled", argument, A)
    assert pins(filled, exported("out", filled, A)) == {"filled": (A,)}


def test_the_upward_walk_ends_where_the_value_is_no_resource():
    given = imported("given", None)
    assert pins(given, exported("out", given, A)) == {"given": (A,)}


def test_the_upward_walk_ends_at_another_op_that_pins():
    given = imported("given", B)
    assert pins(given, exported("out", given, A)) == {}


def test_an_import_claims_downwards_through_ties():
    given = imported("given", A)
    filled = fill("filled", given, A)
    assert pins(given, filled, returned=[filled]) == {"given": (A,), "filled": (A,)}


def test_the_downward_walk_does_not_claim_a_value_without_uses():
    given = imported("given", A)
    filled = fill("filled", given, A)
    assert pins(given, filled) == {"given": (A,)}


def test_the_downward_walk_follows_the_newest_use_only():
    given = imported("given", A)
    first, last = fill("first", given, A), fill("last", given, A)
    found = pins(given, first, last, returned=[first, last])
    assert found == {"given": (A,), "last": (A,)}


def test_a_newest_use_without_a_tie_leads_nowhere():
    given = imported("given", A)
    filled = fill("filled", given, A)
    assert pins(given, filled, returned=[filled, given]) == {"given": (A,)}


def test_the_last_operand_of_one_op_is_its_newest_use():
    given = imported("given", A)
    tied_first = dispatch("d", given, given, on=A, ties=(0,), lifetime=EXTERNAL)
    assert pins(given, tied_first, returned=[tied_first]) == {"given": (A,)}
    tied_last = dispatch("d", given, given, on=A, ties=(1,), lifetime=EXTERNAL, workload=(4,))
    assert pins(given, tied_last, returned=[tied_last]) == {"given": (A,), "d": (A,)}


def test_all_results_tied_to_the_use_are_followed():
    given = imported("given", A)
    both = dispatch("d", given, on=A, ties=(0, 0), lifetime=EXTERNAL)
    found = pins(given, both, returned=both.results)
    assert found == {"given": (A,), "d#0": (A,), "d#1": (A,)}


def test_uses_that_pin_are_passed_over():
    given = imported("given", A)
    filled = fill("filled", given, A)
    found = pins(given, filled, exported("out", given, B), returned=[filled])
    assert found == {"given": (A,), "filled": (A,)}


def test_an_update_is_tied_to_its_target_alone():
    given, other = imported("given", A), splat("other", A, EXTERNAL)
    onto = update("onto", given, other, A)
    assert pins(given, other, onto, returned=[onto]) == {"given": (A,)}


def test_several_ops_may_claim_one_value():
    made = splat("made", A, EXTERNAL)
    found = pins(made, exported("one", made, B), exported("two", made, A), exported("x", made, A0))
    assert found == {"made": (A0, A, B)}


def test_affinities_stand_in_the_order_of_their_printed_form():
    # A comma sorts before the bracket that closes an affinity of all queues.
    assert str(A0) < str(A) < str(B)


def test_a_second_claim_by_another_op_walks_on():
    made = splat("made", A, EXTERNAL)
    filled = fill("filled", made, A)
    found = pins(made, filled, exported("one", made, A), exported("two", filled, B))
    assert found == {"made": (A, B), "filled": (B,)}


def test_claims_of_the_same_op_upwards_end_its_walk():
    # Two operands of one op with the same origin: the second walk finds the claim of the first.
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Pinner(Operation):
        sources: tuple

        @property
        def inputs(self):
            return self.sources

        @property
        def pins(self):
            return True

        @property
        def execution_affinity(self):
            return A

    made = splat("made", A)
    filled = fill("filled", made, A)
    found = pins(made, filled, Pinner(identity="p", sources=(filled.result, made.result)))
    assert found == {"filled": (A,), "made": (A,)}


def test_host_values_are_not_claimed():
    staged = resource("staged")
    assert pins(load("loaded", staged), imported("given", A)) == {}


def test_bodies_are_kept_apart():
    made = splat("made", A, EXTERNAL)
    whole = module(
        func("f", [], made, exported("out", made, A), ended()),
        func("g", [], made, exported("out", made, B), ended()),
        initializers=[initializer(splat("made", A, EXTERNAL))],
    )
    nothing, one, other = program_pins(whole, NEWEST)
    assert (nothing, one, other) == ({}, {made.result: (A,)}, {made.result: (B,)})


def test_transients_pin_what_they_annotate_and_its_storage():
    made, storage = splat("made", A), splat("storage", A)
    kept_on = transients("kept", made, storage, B)
    assert pins(made, storage, kept_on, returned=[kept_on]) == {
        "made": (B,), "storage": (B,), "kept": (B,),
    }  # fmt: skip
    assert pins(made, storage, transients("kept", made, storage, None)) == {}


def test_an_await_is_a_tie_by_position():
    given = imported("given", A)
    both = awaited("both", S, given)
    found = pins(given, both, returned=both.outputs)
    assert found == {"given": (A,), "both#1": (A,)}


def test_neither_a_select_nor_an_optimization_barrier_is_walked_through():
    given = imported("given", A)
    chosen, hidden = select("chosen", given, S), opaque("hidden", given)
    assert pins(given, chosen, returned=[chosen]) == {"given": (A,)}
    assert pins(given, hidden, returned=[hidden]) == {"given": (A,)}
    made, chosen = splat("made", A), select("chosen", S, S)
    assert pins(made, chosen, exported("x", chosen, B)) == {"chosen": (B,)}
