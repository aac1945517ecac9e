"""The kinds of step, in the order in which they are tried. To add one: its file, its line here."""

from __future__ import annotations

from oracle.reduction.affinities import DropAttributes, MergeDevices
from oracle.reduction.carried import DropCarried
from oracle.reduction.early import ReturnEarlier, ReturnOperand
from oracle.reduction.flow import Flatten
from oracle.reduction.lifetimes import PlainLifetimes
from oracle.reduction.operands import DropOperands
from oracle.reduction.operations import DeleteRuns, ForwardOperand, MakeArgument, StandIn
from oracle.reduction.results import DropResults
from oracle.reduction.sizes import StaticSizes
from oracle.reduction.step import Step
from oracle.reduction.symbols import DropArguments, DropSymbols

STEPS: tuple[Step, ...] = (
    DropSymbols(), DropResults(), DeleteRuns(), ReturnEarlier(), ReturnOperand(), Flatten(),
    DropCarried(), ForwardOperand(), MakeArgument(), StandIn(), DropOperands(), DropAttributes(),
    MergeDevices(), StaticSizes(), PlainLifetimes(), DropArguments(),
)  # fmt: skip
