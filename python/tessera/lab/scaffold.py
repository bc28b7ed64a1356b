"""`tessera lab new OP`: a folder that runs as it is, to be edited: out = x * sigmoid(x) in four versions."""
import argparse
import json
import os
import re

from .operators import Missing

TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "assets", "new")


def check_name(name):
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise Missing(f"'{name}' cannot be an operator's name: it becomes a Python name of lower-case letters, digits and _")


def write_files(folder, files):
    """Writes {name: contents} into a new folder."""
    if os.path.exists(folder):
        raise Missing(f"{folder} is there already")
    os.makedirs(folder)
    for name, contents in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(contents)
    return [os.path.join(folder, name) for name in files]


def templates(op):
    files = {}
    for name in sorted(os.listdir(TEMPLATES)):
        if name.endswith(".txt"):
            with open(os.path.join(TEMPLATES, name), encoding="utf-8") as file:
                files[name[:-len(".txt")]] = file.read().replace("{op}", op)
    return files


def new_command(arguments):
    parser = argparse.ArgumentParser(prog="tessera lab new", description="Makes kernels/OP: four versions, a reference and cases, which run as they are.")
    parser.add_argument("op", metavar="OP")
    parser.add_argument("--kernels", metavar="DIR", default="kernels", help="the folder of operators (default: kernels)")
    parser.add_argument("--json", action="store_true", help="print the files' names as JSON")
    options = parser.parse_args(arguments)
    check_name(options.op)
    written = write_files(os.path.join(options.kernels, options.op), templates(options.op))
    if options.json:
        print(json.dumps({"files": written}))
        return 0
    print("\n".join("wrote " + path for path in written))
    print(f"""
Edit reference.py (what it computes) and the kernels, then:
  tessera lab check {options.op}      what is missing
  tessera lab {options.op}            check, measure, compare; writes logs/{options.op}_log.md
  tessera lab watch {options.op}      the same for one version, whenever its file changes""")
    return 0
