"""What has no form on tensors."""

from __future__ import annotations

from reference.ir import UnsupportedOperationError


class InexpressibleError(UnsupportedOperationError):
    """A program has something that a framework cannot say; the message names it."""
