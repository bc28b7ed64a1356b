"""`import triton` in a child process whose PYTHONPATH or sys.path has this folder: ../../dropin.py says why."""
import os
import sys

try:
    import tessera
except ModuleNotFoundError:
    # PYTHONPATH has this folder alone, for a child may be another Python, whom the rest of our folder would not suit.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))
    import tessera

tessera.install_as_triton()  # puts another module in this one's place
