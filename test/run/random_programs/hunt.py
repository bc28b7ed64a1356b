"""The command line of the generators: many random programs, one after another, on the emulator or a GPU.

    hunt("Random tiles of products", 100, Draw, lambda draw: draw.text())

--count and --seed say which programs, --show prints one. A program that the target refuses, such as one that needs more shared
memory than there is, is named and counted by itself.
"""
import argparse
import os


def is_emulated():
    return os.environ.get("TESSERA_TEST_DEVICE") == "emulated"


def hunt(description, count, draw, show):
    """Draws and checks programs, draw(seed).check(launch); returns the exit status."""
    from emulated_session import EmulatedSession
    from gpu_session import GPUSession
    from session import Unsupported
    parser = argparse.ArgumentParser(description=f"{description}, on the emulator or a GPU, against NumPy.")
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=0, help="the first")
    parser.add_argument("--show", type=int, metavar="SEED", help="print the text of one kernel")
    options = parser.parse_args()
    if options.show is not None:
        print(show(draw(options.show)))
        return 0
    session, failed, refused = EmulatedSession() if is_emulated() else GPUSession(), 0, 0
    for seed in range(options.seed, options.seed + options.count):
        try:
            problem = draw(seed).check(session.launch)
        except Unsupported as error:
            refused += 1
            print(f"seed {seed}, not run: {str(error)[:200]}", flush=True)
            continue
        except Exception as error:  # a compiler's message, or what the emulator complains of
            problem = f"seed {seed}: {type(error).__name__}: {str(error)[:400]}"
        if problem:
            failed += 1
            print(problem, flush=True)
    print(f"{options.count - failed - refused} passed, {failed} failed, {refused} refused")
    return failed > 0
