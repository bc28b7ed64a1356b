"""`tessera lab` and `python -m tessera.lab`: see USAGE."""
import argparse
import json
import os
import sys

from . import operators, records
from .processes import Failed
from .screen import Screen
from .settings import Settings

USAGE = """\
usage: tessera lab OP [OP ...] [options]    check, measure and compare versions;
                                            writes logs/OP_log.md, .json, .svg
       tessera lab --all [options]          every operator
       tessera lab list                     the operators that there are
       tessera lab new OP                   make a folder to start from
       tessera lab check OP                 say what is missing in a folder
       tessera lab watch OP                 check and measure a version again
                                            whenever its file changes
       tessera lab report                   one HTML page over all operators
       tessera lab import FILE              make an operator from a KernelBench
                                            problem
       tessera lab export OP                write an operator as such a problem

The versions of an operator lie in kernels/OP. docs/lab.md is the guide;
'tessera lab COMMAND --help' tells more.
"""


def common(parser):
    parser.add_argument("--kernels", metavar="DIR", help="the folder of operators (default: kernels, else those of the package)")
    parser.add_argument("--logs", metavar="DIR", default="logs", help="the folder of logs and records (default: logs)")
    parser.add_argument("--json", action="store_true", help="print JSON to standard output, and progress to standard error")


def run_parser():
    parser = argparse.ArgumentParser(prog="tessera lab", description="Checks, measures and compares the versions of an operator.", add_help=False)
    parser.add_argument("ops", nargs="*", metavar="OP", help=argparse.SUPPRESS)
    what = parser.add_argument_group("what to do")
    what.add_argument("--all", action="store_true", help="every operator")
    what.add_argument("--device", choices=["cpu", "cuda"], help="default: cuda if torch sees a GPU, else cpu")
    what.add_argument("--versions", metavar="LIST", help="some versions, by number or name: v1,v4")
    what.add_argument("--sizes", metavar="LIST", help="some sizes: Small,Large")
    what.add_argument("--check-only", action="store_true", help="phases 1 to 3a: nothing is timed")
    what.add_argument("--explain", action="store_true", help="write `tessera explain` pages of each version to LOGS/explain")
    checks = parser.add_argument_group("checks")
    checks.add_argument("--no-sanitize", action="store_true", help="leave out the run under the CPU's sanitizer")
    checks.add_argument("--random", type=int, default=3, metavar="N", help="random cases for each version (default: 3)")
    checks.add_argument("--seed", type=int, default=0, metavar="N", help="of the random cases and inputs (default: 0)")
    checks.add_argument("--limit", type=float, default=60, metavar="SECONDS", help="a step that takes longer hangs (default: 60)")
    times = parser.add_argument_group("times")
    times.add_argument("--rounds", type=int, default=0, metavar="N", help="turns of each contestant at each size")
    times.add_argument("--torch-compile", action=argparse.BooleanOptionalAction, help="torch.compile as a contestant (default: on a GPU)")
    times.add_argument("--triton", metavar="PYTHON", help="the interpreter that has Triton and torch; 'no' leaves Triton out")
    where = parser.add_argument_group("files and processes")
    common(where)
    where.add_argument("--work", metavar="DIR", default=os.path.join("build", "lab"), help="outcomes and caches (default: build/lab)")
    where.add_argument("--fresh", action="store_true", help="do not use the outcomes of earlier runs")
    where.add_argument("--budget", type=float, default=0, metavar="SECONDS", help="stop in time; the same command continues")
    where.add_argument("--jobs", type=int, default=0, metavar="N", help="processes that check and compile at once")
    where.add_argument("--request", metavar="FILE", help="options as a JSON object, by their long names; - reads standard input")
    where.add_argument("-h", "--help", action="help", help="this text")
    return parser


def has_gpu():
    try:
        import torch
        return torch.cuda.is_available()
    except ImportError:
        return False


def with_request(parser, arguments):
    """Adds the options of --request FILE to those of the command line."""
    options = parser.parse_args(arguments)
    if not options.request:
        return options
    try:
        with (sys.stdin if options.request == "-" else open(options.request, encoding="utf-8")) as file:
            told = json.load(file)
    except (OSError, ValueError) as error:
        parser.error(f"--request: {error}")
    known = {action.dest for action in parser._actions}
    for name, value in told.items():
        name = name.replace("-", "_")
        if name not in known:
            parser.error(f"--request: there is no option '{name}'; there are: {', '.join(sorted(known - {'help', 'request'}))}")
        setattr(options, name, ",".join(map(str, value)) if isinstance(value, list) and name != "ops" else value)
    return options


def settings_of(options, kernels):
    def words(text):
        return tuple(word.strip() for word in text.split(",") if word.strip()) if text else ()
    device = options.device or ("cuda" if has_gpu() else "cpu")
    return Settings(kernels=kernels, device=device, logs=options.logs, work=os.path.abspath(options.work), versions=words(options.versions),
                    sizes=words(options.sizes), seed=options.seed, random=options.random, rounds=options.rounds, budget=options.budget,
                    limit=options.limit, compile=options.torch_compile, triton=options.triton, sanitize=not options.no_sanitize,
                    time=not options.check_only, fresh=options.fresh, explain=options.explain, jobs=options.jobs)


def need_torch():
    import importlib.util
    if importlib.util.find_spec("torch") is None:
        raise NoTorch(f"the lab compares with torch, which {sys.executable} does not have; TESSERA_PYTHON names another interpreter for `tessera lab`")


class NoTorch(Exception):
    """This Python has no torch."""


def check_choice(settings, chosen):
    """Refuses versions and sizes that none of the operators has."""
    for kind, asked, known in (("version", settings.versions, [each.versions for each in chosen]),
                               ("size", settings.sizes, [list(each.sizes_for(settings.device)) for each in chosen])):
        every = {name for names in known for name in names}
        for name in asked:
            if name not in every and not (kind == "version" and any(each.split("_")[0] == name for each in every)):
                raise operators.Missing(f"there is no {kind} '{name}' of {', '.join(each.name for each in chosen)}; there are: {', '.join(known[0]) or 'none'}")


def run(arguments):
    parser = run_parser()
    options = with_request(parser, arguments)
    kernels = operators.kernels_folder(options.kernels)
    names = operators.names(kernels) if options.all else options.ops
    if not names:
        parser.error("name an operator, or --all; `tessera lab list` lists them")
    unknown = [name for name in names if not os.path.isdir(os.path.join(kernels, name))]
    if unknown:
        raise operators.Missing(f"there is no operator '{unknown[0]}' in {kernels}; there are: {', '.join(operators.names(kernels)) or 'none'}")
    settings = settings_of(options, kernels)
    check_choice(settings, [operators.load(kernels, name) for name in names])
    need_torch()
    from . import output
    from .schedule import Lab
    screen = Screen(quiet=options.json, brief=len(names) > 1)
    lab = Lab(settings, screen).open()
    try:
        output.greet(screen, lab, names)
        told = output.run(screen, lab, names)
    finally:
        lab.close()
    if options.json:
        print(json.dumps(told, indent=1))
    return 0 if all(each["ok"] for each in told.values()) else 1


def list_operators(arguments):
    parser = argparse.ArgumentParser(prog="tessera lab list", description="Lists the operators.")
    common(parser)
    options = parser.parse_args(arguments)
    kernels = operators.kernels_folder(options.kernels)
    found = []
    for name in operators.names(kernels):
        operator = operators.load(kernels, name)
        record = records.latest(records.read(options.logs, name))
        found.append({"name": name, "torch": operator.about.get("torch"), "definition": operator.about.get("definition"), "versions": operator.versions,
                      "measured": record and {"date": record["date"], "device": record["device"].get("name"), "choice": record["choice"]}})
    if options.json:
        print(json.dumps(found, indent=1))
        return 0
    rows = [[each["name"], each["torch"] or "", f"{len(each['versions'])} versions",
             f"measured {each['measured']['date'][:10]} on {each['measured']['device']}" if each["measured"] else "not measured yet"] for each in found]
    Screen().table(rows, align="<<<<", indent=0)
    return 0


def check(arguments):
    parser = argparse.ArgumentParser(prog="tessera lab check", description="Says what is missing in an operator's folder.")
    parser.add_argument("ops", nargs="+", metavar="OP")
    common(parser)
    options = parser.parse_args(arguments)
    kernels = operators.kernels_folder(options.kernels)
    found = {name: [{"file": file, "what": what} for file, what in operators.problems(kernels, name)] for name in options.ops}
    for name in options.ops:
        damaged = records.verify(records.read(options.logs, name))
        found[name] += [{"file": records.path_of(options.logs, name), "what": f"record {i} was changed after it was written"} for i in damaged]
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        screen = Screen()
        for name, problems in found.items():
            screen.line(f"{name}: " + (screen.paint("green", "complete") if not problems else "1 thing is missing" if len(problems) == 1 else f"{len(problems)} things are missing"))
            screen.table([[each["file"], each["what"]] for each in problems], align="<<")
    return 1 if any(found.values()) else 0


def main(arguments=None):
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(USAGE, end="", file=sys.stdout if arguments else sys.stderr)
        if arguments:
            print("\n" + run_parser().format_help().split("\n\n", 2)[2], end="")  # without its own usage and description
        return 0 if arguments else 2
    commands = {"list": list_operators, "check": check}
    for name, module in (("new", "scaffold"), ("import", "problems"), ("export", "problems"), ("watch", "watching"), ("report", "page")):
        commands[name] = lambda rest, name=name, module=module: later(module, name)(rest)
    try:
        return commands.get(arguments[0], run)(arguments[1:] if arguments[0] in commands else arguments)
    except (operators.Missing, records.Damaged, Failed) as problem:
        print(f"tessera lab: {problem}", file=sys.stderr)
        return 1
    except NoTorch as problem:
        print(f"tessera lab: {problem}", file=sys.stderr)
        return 3
    except BrokenPipeError:  # `tessera lab list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("\ntessera lab: interrupted; the same command continues", file=sys.stderr)
        return 130


def later(module, name):
    """The command's function, imported when it is used."""
    import importlib
    return getattr(importlib.import_module("." + module, __package__), name + "_command")


if __name__ == "__main__":
    sys.exit(main())
