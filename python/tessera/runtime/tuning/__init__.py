"""How the fastest configuration of a kernel is found; see README.md. autotuner.py is what users meet."""
