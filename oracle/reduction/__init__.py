"""Makes a program that shows a fault as small as it can be, the fault staying the same.

Works on any module that the compiler's bindings can read: on trees of ops, not on the model's
program IR. One kind of step one file, `STEPS` in `oracle/reduction/steps.py` lists them.
"""
