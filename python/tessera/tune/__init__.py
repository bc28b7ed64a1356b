"""`tessera tune`: tunes the kernels that `tessera record` has recorded, ahead of time and without the program.

    tessera tune recorded/kernels.toml             all GPUs of this machine, else the CPU
    tessera tune recorded/kernels.toml --ray       the GPUs of a Ray cluster

problems.py reads recorded/tuning/; schedule.py decides what runs when, and keeps the results; an executor runs it: local.py in
processes of this machine, ray_cluster.py in actors, slurm.py in jobs. process.py starts and watches a process, worker.py is what runs
in it: work.py compiles and measures with memory.py's inputs. report.py writes the table and the plot. docs/tuning.md is the guide.
"""
