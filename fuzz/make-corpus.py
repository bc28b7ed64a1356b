#!/usr/bin/python3
"""Writes the seeds that the fuzzers start from.

    fuzz/make-corpus.py parser FOLDER      the functions of the tree's Python files, and syntax-seeds.py
    fuzz/make-corpus.py frontend FOLDER    one small module for each kernel: what it reaches, and its signature
    fuzz/make-corpus.py program FOLDER     the same as JSON programs (docs/program.md), and program-seeds.jsonl
    fuzz/make-corpus.py pack FOLDER        small packs, with build/bin/tessera if it is there

Files are named after their content, as libFuzzer names them: running it again adds what is new and repeats nothing.
"""
import ast
import hashlib
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "test"))
import signatures  # noqa: E402

FOLDERS = ["examples", "test/compile", "test/reject", "test/run", "lib/SourceToTTIR/Stdlib", "lib/SourceToTTIR/test"]
LARGEST = 16 << 10  # bytes; larger seeds slow the search down
DEFAULT = "*fp32,i32,16"
MAPPED = "python/test/runtime/mapped_copy.ttgir"
IMPORTS = "import triton\nimport triton.language as tl\n"


def python_files():
    for folder in FOLDERS:
        for home, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(names):
                if name.endswith(".py"):
                    yield os.path.relpath(os.path.join(home, name), ROOT)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def defined_names(node):
    """What a statement of a module's top level defines."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(alias.asname or alias.name).split(".")[0] for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


def used_names(node):
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}


def text_of(source, node):
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno] + [d.lineno for d in decorators])
    return "\n".join(source.split("\n")[first - 1:node.end_lineno])


def is_jit(node):
    return isinstance(node, ast.FunctionDef) and any("jit" in ast.unparse(d) for d in node.decorator_list)


def small_modules(path, source, known):
    """For each jit function of a file, a module with the function, what it reaches, and its signature."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    home = {name: node for node in tree.body for name in defined_names(node)}
    for kernel in filter(is_jit, tree.body):
        wanted, waiting = set(), [kernel]
        while waiting:
            node = waiting.pop()
            if id(node) not in wanted:
                wanted.add(id(node))
                waiting += [home[name] for name in used_names(node) if name in home]
        body = [text_of(source, node) for node in tree.body if id(node) in wanted and node is not kernel]
        for signature in known.get((path, kernel.name), [DEFAULT]):
            yield "\n".join([*body, f"# signature: {signature}", text_of(source, kernel), ""])


def statements(source):
    """The statements of a file's top level; the whole file if it is no Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        yield source
        return
    for node in tree.body:
        yield text_of(source, node) + "\n"


def literal(node):
    """A literal as a VALUE of docs/program.md; ValueError if it is none."""
    value = ast.literal_eval(node)
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return {"int": str(value)}
    if isinstance(value, float):
        return {"float": value.hex()}
    return {"tuple": [literal(each) for each in node.elts]}


def meanings(tree, functions):
    """What the names of a module's top level are, as far as imports, functions and constants go."""
    names = {}
    for node in tree.body:
        if isinstance(node, ast.Import):
            names.update({(alias.asname or alias.name.split(".")[0]): {"language": alias.name if alias.asname else
                                                                      alias.name.split(".")[0]} for alias in node.names})
        elif isinstance(node, ast.ImportFrom):
            names.update({alias.asname or alias.name: {"language": f"{node.module}.{alias.name}"} for alias in node.names})
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = node.value.args[0] if isinstance(node.value, ast.Call) and node.value.args else node.value
            try:
                names[node.targets[0].id] = {"constexpr": literal(value)}
            except (AttributeError, ValueError):
                names[node.targets[0].id] = {"object": ast.unparse(node.value)}
    return {**names, **{name: {"function": i} for i, name in enumerate(functions)}}


def argument(entry):
    try:
        return {"constant": literal(ast.parse(entry.strip(), mode="eval").body)}
    except (SyntaxError, ValueError):
        return entry.strip()


def program_of(module):
    """A small module as a program of its last function."""
    tree = ast.parse(module)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    names = meanings(tree, functions)
    kernel = list(functions)[-1]
    signature = next(line for line in module.split("\n") if line.startswith("# signature:")).partition(":")[2]
    described = []
    for name, node in functions.items():
        text = "\n".join(module.split("\n")[node.lineno - 1:node.end_lineno]) + "\n"
        constexprs = [each.arg for each in node.args.args if each.annotation and "constexpr" in ast.unparse(each.annotation)]
        kind = "jit" if is_jit(node) else "constexpr" if node.decorator_list else "plain"
        free = {key: value for key, value in names.items() if key in used_names(node)}
        described.append({"name": name, "module": "m", "qualname": name, "path": "m.py", "line": 1, "text": text, "kind": kind,
                          "constexprs": constexprs, "names": free})
    return json.dumps({"version": 1, "kernel": list(functions).index(kernel), "functions": described,
                       "arguments": [argument(entry) for entry in signature.split(",")]})


def seeds(target):
    if target == "parser":
        for path in python_files():
            yield from statements(read(path))
        # Not through `ast`: this machine's Python may be older than the syntax.
        yield from read("fuzz/syntax-seeds.py").split("\n\n")
        yield read("fuzz/syntax-seeds.py")
        return
    if target == "pack":
        yield from pack_seeds()
        return
    if target == "program":
        yield from read("fuzz/program-seeds.jsonl").splitlines()
        yield from map(program_of, seeds("frontend"))
        return
    known = {}
    for case in signatures.cases():
        known.setdefault((case.file, case.kernel), []).append(case.signature)
    for path in python_files():
        yield from small_modules(path, read(path), known)
    # Functions of the language that no kernel of the tree calls get one that does.
    for name in ("exp", "cdiv", "sort", "flip", "softmax", "cumsum", "rand", "topk", "argmax", "ravel"):
        yield (f"{IMPORTS}\n\n# signature: *fp32,16\n@triton.jit\ndef kernel(x_ptr, N: tl.constexpr):\n"
               f"    x = tl.load(x_ptr + tl.arange(0, N))\n    tl.store(x_ptr + tl.arange(0, N), tl.{name}(x))\n")


def pack_seeds():
    """Packs of 0 to 3 entries. Their checksums are missing: FuzzPack computes them."""
    import struct
    for count in range(4):
        strings, entries, artifacts, blobs = b"k1*fp32,i32cpuobjrecordnum-warps=8", b"", b"", b"\x01" * 64 * count
        for number in range(count):
            places = [(0, 2), (2, 9), (11, 3), (23, 11), (0, 0), (0, 0)]
            entries += bytes([number] * 32) + bytes(32) + struct.pack("<4I", 1 + number % 2, number, 1, number)
            entries += b"".join(struct.pack("<2I", *place) for place in places)
            artifacts += struct.pack("<2I2Q", 14, 3, 64 * number, 64) + bytes([number] * 32) + bytes(8)
        index = entries + artifacts + strings
        start = -(-(192 + len(index)) // 64) * 64
        head = b"TPACK\x1a\r\n" + struct.pack("<2I", 1, 0) + struct.pack("<Q2I4Q", start + len(blobs), count, count, len(strings), start,
                                                                        len(blobs), 0)
        data = (head + bytes(128) + index).ljust(start, b"\0") + blobs
        yield data.decode("utf-8", "surrogateescape")
    tessera = os.path.join(ROOT, "build", "bin", "tessera")
    if not os.path.exists(tessera):
        return
    with open(os.path.join(ROOT, MAPPED), encoding="utf-8") as file:
        mapped = file.read()
    with tempfile.TemporaryDirectory() as folder:
        files = {"k.py": f"{IMPORTS}\n\n@triton.jit\ndef k(x, n, N: tl.constexpr):\n    tl.store(x, n * N)\n", "k.ttgir": mapped}
        for name, text in files.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        for name, target in (("k.py", "cpu"), ("k.py", "cuda:80"), ("k.py", "hip:gfx942"), ("k.ttgir", "cuda:90")):
            signature = "*fp16,i32" if name == "k.ttgir" else "*i32:16,i32,4"
            with open(os.path.join(folder, "k.toml"), "w") as file:
                file.write(f'name = "k"\n[[kernel]]\nfile = "{name}"\nname = "k"\nsignature = "{signature}"\n')
            done = subprocess.run([tessera, "pack", "k.toml", "--targets", target, "-o", "k.tpack", "--rebuild"], cwd=folder)
            if done.returncode == 0:
                with open(os.path.join(folder, "k.tpack"), "rb") as file:
                    yield file.read().decode("utf-8", "surrogateescape")


def main():
    target, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    written = 0
    for seed in seeds(target):
        data = seed.encode("utf-8", errors="surrogateescape")
        path = os.path.join(folder, hashlib.sha1(data).hexdigest())
        if len(data) <= LARGEST and not os.path.exists(path):
            with open(path, "wb") as file:
                file.write(data)
            written += 1
    print(f"{written} new seeds in {folder}")


if __name__ == "__main__":
    main()
