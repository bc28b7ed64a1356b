"""The cache folder with a limit, and the servers behind it: Redis, HTTP, and servers that are slow, broken or gone."""
import http.server
import os
import shutil
import socket
import socketserver
import subprocess
import threading
import time

import pytest

from blob_server import PROGRAM, Blobs
from places import BUILD

TESSERA = os.path.join(BUILD, "bin", "tessera")


@pytest.fixture
def launch(snippet, tmp_path):
    """Runs the program with a new cache folder; returns (number of compilations, stderr)."""
    count = iter(range(100))

    def launch(url, folder=None, **variables):
        home = tmp_path / (folder or f"cache{next(count)}")
        done = snippet(PROGRAM, name="program.py", env={"TESSERA_CACHE_DIR": str(home), "TRITON_CACHE_DIR": str(home), "TESSERA_CACHE_REMOTE": url, **variables})
        return int(done.stdout.split()[1]), done.stderr
    return launch


@pytest.fixture
def http_server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Blobs) as server:
        server.blobs = {}
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()


def url_of(server):
    return f"http://127.0.0.1:{server.server_address[1]}/kernels"


def test_machines_share_kernels_and_timings_over_http(launch, http_server):
    assert launch(url_of(http_server)) == (2, "")
    kinds = sorted(path.split("/")[2] for path in http_server.blobs)
    assert kinds == ["autotune", "kernel", "kernel"]
    assert launch(url_of(http_server)) == (0, "")  # another machine compiles nothing


def test_damaged_blobs_are_compiled_with_a_warning(launch, http_server):
    launch(url_of(http_server))
    for path, blob in http_server.blobs.items():
        http_server.blobs[path] = blob[:-1] + bytes([blob[-1] ^ 1]) if "/kernel/" in path else b"{"
    compiled, said = launch(url_of(http_server))
    assert compiled == 2 and "the shared cache's entry is not used, and the kernel compiled: cache entry: damaged" in said
    for path in http_server.blobs:
        http_server.blobs[path] = b""
    assert launch(url_of(http_server))[0] == 2


class _Rude(socketserver.BaseRequestHandler):
    def handle(self):
        if self.server.answer is None:
            time.sleep(3)
        else:
            self.request.sendall(self.server.answer)


@pytest.fixture
def rude_server():
    socketserver.ThreadingTCPServer.daemon_threads = True
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Rude) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.parametrize("scheme, answer", [("redis", None), ("redis", b"what?\r\n"), ("redis", b"$99999999999\r\n"), ("http", b""),
                                            ("http", b"HTTP/1.1 500 No\r\n\r\n"),
                                            ("http", b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"),
                                            ("http", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffff\r\n")])
def test_servers_that_do_not_answer_cost_a_bounded_time(launch, rude_server, answer, scheme):
    rude_server.answer = answer
    began = time.monotonic()
    compiled, said = launch(f"{scheme}://127.0.0.1:{rude_server.server_address[1]}", TESSERA_CACHE_TIMEOUT="200")
    assert compiled == 2 and "is left alone for 1 s" in said
    assert time.monotonic() - began < 8


def test_nobody_listens(launch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    compiled, said = launch(f"redis://127.0.0.1:{port}")
    assert compiled == 2 and "it cannot be reached: Connection refused" in said


def test_wrong_addresses(snippet):
    said = snippet(PROGRAM, env={"TESSERA_CACHE_REMOTE": "ftp://x"}, status=1).stderr
    assert "ValueError: a shared cache is redis://HOST:PORT, http://HOST:PORT/FOLDER" in said and "not 'ftp://x'" in said
    done = subprocess.run([TESSERA, "compile", "x.py"], env={**os.environ, "TESSERA_CACHE_LIMIT": "much"}, capture_output=True, text=True)
    assert done.returncode == 2 and "TESSERA_CACHE_LIMIT: a size is a number of bytes" in done.stderr


# ---- Redis ----------------------------------------------------------------------------------------

class Redis:
    """A server of Debian's redis-tools on loopback. Its program for checking files is the server itself, by another name."""

    def __init__(self, folder, password=""):
        self.folder, self.password, self.process = folder, password, None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://{':' + password + '@' if password else ''}127.0.0.1:{self.port}"

    def start(self):
        program = shutil.which("redis-server") or shutil.which("redis-check-rdb")
        if program is None:
            pytest.skip("there is no Redis (Debian's redis-tools)")
        arguments = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self.folder)]
        if self.password:
            arguments += ["--requirepass", self.password]
        self.process = subprocess.Popen(arguments, executable=os.path.realpath(program), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 10
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.02)
        pytest.fail("Redis does not start")

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@pytest.fixture
def redis(tmp_path):
    server = Redis(tmp_path, "secret")
    server.start()
    yield server
    server.stop()


def test_machines_share_through_redis(launch, redis):
    assert launch(redis.url) == (2, "")
    assert launch(redis.url) == (0, "")
    compiled, said = launch(redis.url.replace("secret", "wrong"))
    assert compiled == 2 and "Redis says: WRONGPASS" in said and "wrong" not in said.replace("WRONGPASS", "").split("Redis says")[0]


def test_redis_stops_and_starts_again(launch, redis):
    assert launch(redis.url)[0] == 2
    redis.stop()
    compiled, said = launch(redis.url)
    assert compiled == 2 and "it cannot be reached" in said
    redis.start()
    assert launch(redis.url)[0] == 2  # it came back empty
    assert launch(redis.url) == (0, "")


# ---- the folder -----------------------------------------------------------------------------------

def cache(action, folder, *arguments):
    done = subprocess.run([TESSERA, "cache", action, "--cache-dir", str(folder), *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def test_the_folder_is_pruned_verified_and_repaired(launch, tmp_path):
    launch("", folder="cache")
    folder = tmp_path / "cache"
    entries = sorted(folder.glob("*.tessera"))
    assert len(entries) == 2 and "2 kernels" in cache("verify", folder)
    data = entries[0].read_bytes()
    entries[0].write_bytes(data[:100])
    compiled, said = launch("", folder="cache", TRITON_CACHE_AUTOTUNING="0")
    assert compiled == 1 and "is removed, and the kernel compiled: cache entry: cut short" in said
    entries[1].write_bytes(data)
    assert "1 kernel" in (text := cache("verify", folder)) and "1 damaged, removed" in text
    launch("", folder="cache", TRITON_CACHE_AUTOTUNING="0")
    old, new = entries
    os.utime(old, (1, 1))
    text = cache("prune", folder, "--limit", str(new.stat().st_size * 3 // 2))
    assert "removed from" in text and "1 kernel" in text and not old.exists() and new.exists()
    assert "0 kernels" in cache("prune", folder, "--limit", "1G")
    assert "1 kernel" in cache("prune", folder, "--limit", "0") and not new.exists()


WORKER = """
import sys, random, numpy as np, tessera, tessera.language as tl

@tessera.jit
def fill(out_ptr, value, N: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, N), tl.full((N,), value, tl.int32) + N)

numbers = list(range(1, 13))
random.Random(int(sys.argv[1])).shuffle(numbers)
for number in numbers:
    n = 1 << number
    out = np.zeros(n, "int32")
    fill[(1,)](out, 5, N=n)
    assert (out == 5 + n).all()
print("done", flush=True)
"""


def test_processes_share_a_folder_and_are_killed(tmp_path):
    """Processes compile the same kernels into one small folder, which is pruned all the time; some are killed."""
    from places import child_environment
    import random
    import sys
    (tmp_path / "worker.py").write_text(WORKER)
    environment = child_environment({"TESSERA_CACHE_DIR": str(tmp_path / "cache"), "TESSERA_CACHE_LIMIT": "40K"})
    chosen = random.Random(3)
    processes = [subprocess.Popen([sys.executable, str(tmp_path / "worker.py"), str(seed)], env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) for seed in range(6)]
    killed = []
    for process in processes[:3]:
        time.sleep(chosen.uniform(0.1, 0.4))
        process.kill()
        killed.append(process)
    for process in processes:
        out, problems = process.communicate(timeout=120)
        if process not in killed:
            assert (process.returncode, out, problems) == (0, "done\n", "")
    assert "0 damaged, removed" in cache("verify", tmp_path / "cache")
