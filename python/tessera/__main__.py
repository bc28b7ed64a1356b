"""`python -m tessera script.py` runs an unmodified program with `import triton` importing Tessera: see USAGE.

sys.argv, sys.path[0], __main__ and its globals, tracebacks and exit statuses are those of `python script.py`, so the steps are those
of Python's own main function, in the same order. A new __main__ module replaces this one and stays until the interpreter ends,
because pickle, multiprocessing and threads that outlive the script need it.
"""
import importlib.machinery
import os
import sys
import types

USAGE = """\
usage: python -m tessera script.py [arguments]    run a script, folder or zip file
       python -m tessera -m module [arguments]    run a module, such as pytest
       python -m tessera -c "code" [arguments]    run code
       python -m tessera - [arguments]            run the standard input

Runs a program that was written for Triton. Its `import triton` imports Tessera
instead, also in the Python processes that it starts. Everything else is as
without `-m tessera`.

  -h, --help     this text
  --version      Tessera's version, and that of the Triton whose interface it has
  --stubs DIR    write type stubs for `import triton` to DIR, for editors and type
                 checkers: mypy reads $MYPYPATH=DIR, pyright its stubPath

From code: tessera.install_as_triton().
Ahead of time: python -m tessera.tools.compile --help.
"""


def fail(message):
    print(f"python -m tessera: {message}", file=sys.stderr)
    sys.exit(2)


def new_main(path=None, loader=importlib.machinery.BuiltinImporter):
    """A module `__main__` as Python creates it."""
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=sys.modules["builtins"], __loader__=loader, __spec__=None)
    if sys.version_info < (3, 14):
        main.__dict__["__annotations__"] = {}
    if path is not None:
        main.__dict__.update(__file__=path, __cached__=None)
    sys.modules["__main__"] = main
    return main


def has_first_path():
    """Returns whether Python has added sys.path[0], which is now the current folder because of -m. With -P and -I it adds none."""
    return not sys.flags.isolated and not getattr(sys.flags, "safe_path", False)


def set_first_path(folder):
    if has_first_path():
        sys.path[0] = folder


def run_module(name):
    """Runs a module as the interpreter's own -m does: runpy runs it in the current __main__."""
    import runpy
    new_main()
    runpy._run_module_as_main(name)


def run_folder(path):
    """Runs the __main__.py of a folder or a zip file, found through sys.path."""
    import runpy
    if not has_first_path():
        sys.path.insert(0, "")
    sys.path[0] = os.path.abspath(path)
    new_main()
    runpy._run_module_as_main("__main__", alter_argv=False)


def run_code(text):
    set_first_path("")
    exec(compile(text + "\n", "<string>", "exec", dont_inherit=True), new_main().__dict__)


def run_input():
    set_first_path("")
    exec(compile(sys.stdin.read(), "<stdin>", "exec", dont_inherit=True), new_main("<stdin>").__dict__)


def run_script(path):
    full = os.path.abspath(path)
    compiled = path.endswith(".pyc")
    loader = (importlib.machinery.SourcelessFileLoader if compiled else importlib.machinery.SourceFileLoader)("__main__", full)
    try:
        text = loader.get_data(full)
    except OSError as error:
        fail(f"can't open file '{full}': [Errno {error.errno}] {error.strerror}")
    set_first_path(os.path.dirname(os.path.realpath(path)))
    main = new_main(full, loader)
    code = loader.get_code("__main__") if compiled else compile(text, full, "exec", dont_inherit=True)
    exec(code, main.__dict__)


def module_of_triton(path):
    """"triton.tools.compile" for such a file of an installed Triton, whose path its users give; None for any other script."""
    folder, name = os.path.split(os.path.realpath(path))
    names = [os.path.splitext(name)[0]]
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder, name = os.path.split(folder)
        names.insert(0, name)
    return ".".join(names) if len(names) > 1 and names[0] == "triton" else None


def is_folder_or_zip(path):
    import zipimport
    if os.path.isdir(path):
        return True
    try:
        zipimport.zipimporter(path)
    except zipimport.ZipImportError:
        return False
    return True


def hide_our_frames():
    """Runs the program, and removes our own frames from an exception's traceback, so that it begins with the program's."""
    import runpy
    print_exception = sys.excepthook  # the program may have replaced it
    ours = {__file__, runpy.__file__, "<frozen runpy>"}

    def print_from_program(kind, error, trace):
        while trace is not None and trace.tb_frame.f_code.co_filename in ours:
            trace = trace.tb_next
        print_exception(kind, error.with_traceback(trace), trace)
    sys.excepthook = print_from_program


def choose(arguments):
    """A function that runs the program. Sets sys.argv to the program's."""
    if not arguments:
        print(USAGE, end="", file=sys.stderr)
        sys.exit(2)
    first, rest = arguments[0], arguments[1:]
    if first in ("-h", "--help"):
        print(USAGE, end="")
        sys.exit(0)
    if first == "--version":
        import tessera
        from tessera.dropin import TRITON_VERSION
        print(f"Tessera {tessera.__version__}, with the interface of Triton {TRITON_VERSION}")
        sys.exit(0)
    if first == "--stubs":
        if len(rest) != 1:
            fail("--stubs asks for one folder; --help says more")
        from tessera.tools import stubs
        print(f"wrote {stubs.write(rest[0])}\nwrote {stubs.write_types(rest[0])}")
        sys.exit(0)
    if first[:2] in ("-m", "-c"):  # also -mpytest, which Python accepts
        rest = ([first[2:]] if first[2:] else []) + rest
        if not rest:
            fail(f"{first} asks for {'the name of a module' if first == '-m' else 'code'}; --help says more")
        sys.argv[:] = [first[:2]] + rest[1:]
        return (lambda: run_module(rest[0])) if first[:2] == "-m" else (lambda: run_code(rest[0]))
    if first == "-":
        sys.argv[:] = arguments
        return run_input
    if first.startswith("-"):
        fail(f"no such option: {first}; --help says more")
    sys.argv[:] = arguments
    if is_folder_or_zip(first):
        return lambda: run_folder(first)
    module = module_of_triton(first)
    return (lambda: run_module(module)) if module else (lambda: run_script(first))


def main():
    from tessera import dropin
    run = choose(sys.argv[1:])
    dropin.install_as_triton()
    dropin.offer_to_children()
    try:
        run()
    except SystemExit:
        raise
    except BaseException:
        hide_our_frames()
        raise


if __name__ == "__main__":
    main()
