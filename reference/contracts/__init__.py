"""Contracts: what must hold of any correct compiler, whatever its choices.

They look at a program before and after, and at facts of ops; never at what the model would have
chosen (`reference/placement.py`, `scheduling/`, `folding/`).
"""
