"""Runs the entries as they are: `lit corpus`, with IREE's wheels and `filecheck` installed.

Nothing of this project is needed: an entry can be moved into IREE's own tests.
"""

# ruff: noqa: F821 - lit puts `config` and `lit_config` here.
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "crosscurrent"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.realpath(lit_config.params.get("out", "out/lit"))
path = os.pathsep.join((os.environ.get("PATH", ""), os.path.dirname(sys.executable)))
config.environment["PATH"] = path

tool = shutil.which("iree-opt", path=path)
if tool is None:
    lit_config.fatal("there is no iree-opt: install iree-base-compiler, or add it to PATH")
# An entry says with REQUIRES on which releases it shows, where it does not on all.
asked = "import importlib.metadata as all; print(all.version('iree-base-compiler'))"
python = os.path.join(os.path.dirname(tool), "python3")
said = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=True)
config.available_features.add(f"iree-{'.'.join(said.stdout.split('.')[:2])}")
