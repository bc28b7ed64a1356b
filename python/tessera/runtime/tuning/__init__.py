"""The search for the fastest configuration of a kernel; see README.md. Its user interface is autotuner.py."""
