"""Explanations of one program: why everything is where it is, and what a compiler did instead."""
