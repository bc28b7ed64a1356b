"""The kernel lab: from a torch operator to the fastest correct kernel, with the evidence.

    tessera lab softmax --device cuda      checks, measures and compares the versions in kernels/softmax; writes logs/
    tessera lab new my_op                  a folder to start from; `tessera lab --help` lists the other commands

docs/lab.md is the guide. The parts: operators.py reads an operator's folder; processes.py and lab_child/ run each version in a
process of its own; schedule.py decides what runs when; records.py, log.py, drawing.py and page.py write what was found.
"""
