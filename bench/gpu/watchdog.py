"""A child process that says what it is about to do, and is killed when one step takes too long: a kernel that never ends.

    for kind, content in watchdog.messages(serve, (options, cases), seconds=60):
        ...

`serve(*arguments, connection)` runs in the child. It sends ("step", words) in front of each step, which starts the clock
anew, anything else that the parent should have, and ("end", None) at last. The parent gets all but steps and the end; where
the child was killed it gets ("hung", words of the step) and where it died ("died", words), and nothing after that.
"""
import multiprocessing
import time


def messages(serve, arguments, seconds, method="fork"):
    context = multiprocessing.get_context(method)
    connection, theirs = context.Pipe()
    process = context.Process(target=serve, args=(*arguments, theirs), daemon=True)
    process.start()
    theirs.close()
    step, begin = "starting", time.monotonic()
    try:
        while True:
            if not connection.poll(max(0.0, seconds - (time.monotonic() - begin))):
                process.kill()
                yield "hung", step
                return
            kind, content = connection.recv()
            if kind == "end":
                return
            if kind == "step":
                step, begin = content, time.monotonic()
            else:
                yield kind, content
    except (EOFError, ConnectionError):
        yield "died", step
    finally:
        process.join(20)  # also a killed process takes a while to give its context back
        if process.is_alive():
            process.kill()
