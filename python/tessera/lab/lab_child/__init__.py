"""What runs in the lab's child processes, under Tessera or under Triton.

`import triton` means Tessera in some of these processes and Triton in others, so nothing here imports tessera. The modules need
the standard library and torch alone.
"""
