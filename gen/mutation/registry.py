"""The kinds of mutation, by name, and how often each is chosen, relative to each other."""

from __future__ import annotations

from gen.choices import Weighted
from gen.mutation.device import device
from gen.mutation.drop_transfer import drop_transfer
from gen.mutation.execution import execution
from gen.mutation.insert_transfer import insert_transfer
from gen.mutation.lifetime import lifetime
from gen.mutation.material import Mutation
from gen.mutation.order import order
from gen.mutation.pin import pin
from gen.mutation.retarget_transfer import retarget_transfer
from gen.mutation.splice import splice
from gen.mutation.use import use

MUTATIONS: dict[str, Mutation] = {
    "insert-transfer": insert_transfer,
    "drop-transfer": drop_transfer,
    "retarget-transfer": retarget_transfer,
    "lifetime": lifetime,
    "pin": pin,
    "execution": execution,
    "device": device,
    "order": order,
    "use": use,
    "splice": splice,
}

_WEIGHTS = {"insert-transfer": 2.0, "pin": 1.5, "device": 1.5, "drop-transfer": 0.7}
CHOSEN: Weighted[str] = Weighted.of((name, _WEIGHTS.get(name, 1.0)) for name in MUTATIONS)
