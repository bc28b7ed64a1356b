"""A server of blobs, and a program whose kernels and timings may come from one."""
import http.server

PROGRAM = """
import sys, time, numpy as np, tessera, tessera.language as tl

@tessera.autotune([tessera.Config({"BLOCK": b}) for b in (32, 64)], key=["n"])
@tessera.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + o, tl.load(x_ptr + o, mask=o < n) * 2, mask=o < n)

compiled = []
tessera.knobs.compilation.listener = lambda src, cache_hit, **_: cache_hit or compiled.append(src.name)
x, y = np.arange(256, dtype="float32"), np.zeros(256, "float32")
began = time.monotonic()
double[lambda meta: (tessera.cdiv(256, meta["BLOCK"]),)](x, y, 256)
assert np.array_equal(y, 2 * x)
stored = all(len(timing) for timing in double.configs_timings.values())
print("compiled", len(compiled), "tuned in", round(double.bench_time, 4))
"""


class Blobs(http.server.BaseHTTPRequestHandler):
    """GET and PUT of blobs in memory."""

    def do_GET(self):
        blob = self.server.blobs.get(self.path)
        self.send_response(404 if blob is None else 200)
        self.send_header("Content-Length", str(len(blob or b"")))
        self.end_headers()
        self.wfile.write(blob or b"")

    def do_PUT(self):
        self.server.blobs[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass
