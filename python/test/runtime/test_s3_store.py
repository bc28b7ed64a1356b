"""Stores over HTTPS and S3's protocol: a server here that verifies signatures, and moto's where it is installed."""
import hashlib
import hmac
import http.server
import shutil
import ssl
import subprocess
import sys
import threading
import urllib.parse

import pytest

from blob_server import PROGRAM, Blobs

KEYS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret/+EXAMPLE", "AWS_REGION": "eu-west-1"}


class S3(Blobs):
    """Refuses requests whose signature is not that of the secret, as S3 does."""

    def refuse(self, code):
        body = f'<?xml version="1.0"?><Error><Code>{code}</Code></Error>'.encode()
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def is_signed(self, body):
        """Computes the signature anew (Amazon's "Signature Version 4 signing process")."""
        given = self.headers["Authorization"]
        scope = given.split("Credential=")[1].split(",")[0].split("/", 1)[1]
        names = given.split("SignedHeaders=")[1].split(",")[0]
        digest = hashlib.sha256(body).hexdigest()
        if self.headers["x-amz-content-sha256"] != digest or scope.split("/")[1:] != ["eu-west-1", "s3", "aws4_request"]:
            return False
        listed = "".join(f"{name}:{self.headers[name]}\n" for name in names.split(";"))
        path = urllib.parse.quote(urllib.parse.unquote(self.path), safe="/-._~")
        canonical = "\n".join([self.command, path, "", listed, names, digest])
        text = "\n".join(["AWS4-HMAC-SHA256", self.headers["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
        key = ("AWS4" + KEYS["AWS_SECRET_ACCESS_KEY"]).encode()
        for part in (*scope.split("/"), text):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        self.server.tokens.add(self.headers["x-amz-security-token"])
        return given.endswith("Signature=" + key.hex()) and "host" in names and self.headers["x-amz-date"][:8] == scope[:8]

    def do_GET(self):
        if not self.is_signed(b""):
            return self.refuse("SignatureDoesNotMatch")
        if self.server.hides and self.path not in self.server.blobs:
            return self.refuse("AccessDenied")
        return super().do_GET()

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.is_signed(body):
            return self.refuse("SignatureDoesNotMatch")
        self.server.blobs[self.path] = body
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.fixture
def serve():
    servers = []

    def start(handler, wrap=None):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        if wrap:
            server.socket = wrap.wrap_socket(server.socket, server_side=True)
        server.blobs, server.tokens, server.hides = {}, set(), False
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return server
    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def launch(snippet, tmp_path):
    """Runs the program with a new cache folder; returns (number of compilations, stderr)."""
    count = iter(range(100))

    def launch(url, **variables):
        home = str(tmp_path / f"cache{next(count)}")
        environment = {"TESSERA_CACHE_DIR": home, "TRITON_CACHE_DIR": home, "TESSERA_CACHE_REMOTE": url, "TESSERA_CACHE_TIMEOUT": "5000", **KEYS,
                       **variables}
        done = snippet(PROGRAM, name="program.py", env=environment)
        return int(done.stdout.split()[1]), done.stderr
    return launch


def test_signed_requests(launch, serve):
    server = serve(S3)
    url = f"s3+http://127.0.0.1:{server.server_address[1]}/bucket/some%folder"
    assert launch(url) == (2, "")
    assert all(path.startswith("/bucket/some%25folder/") for path in server.blobs) and len(server.blobs) == 3
    assert launch(url, AWS_SESSION_TOKEN="temporary/token") == (0, "") and server.tokens == {None, "temporary/token"}
    compiled, said = launch(url, AWS_SECRET_ACCESS_KEY="other")
    assert compiled == 2 and "it answers with status 403 (SignatureDoesNotMatch)" in said and "other" not in said
    # Who may not list the bucket is denied what is not there: a miss.
    server.hides = True
    server.blobs.clear()
    assert launch(url) == (2, "") and len(server.blobs) == 3


def test_credentials_and_buckets_are_asked_for(snippet):
    def said(url, **keys):
        return snippet(PROGRAM, env={"TESSERA_CACHE_REMOTE": url, **keys}, status=1).stderr
    assert "ValueError: s3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" in said("s3://bucket", AWS_ACCESS_KEY_ID="")
    assert "s3 needs the name of a bucket" in said("s3+http://localhost:9000", **KEYS)


@pytest.fixture
def certificate(tmp_path):
    """A certificate for 127.0.0.1 that signs itself, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path / "cert.pem", tmp_path / "key.pem"


def test_https(launch, serve, certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server = serve(S3, context)
    url = f"s3+https://localhost:{server.server_address[1]}/bucket"
    assert launch(url, SSL_CERT_FILE=str(certificate[0])) == (2, "")
    assert launch(url, SSL_CERT_FILE=str(certificate[0])) == (0, "")
    compiled, said = launch(url)
    assert compiled == 2 and "its certificate is not trusted: self-signed certificate" in said
    compiled, said = launch(url.replace("localhost", "127.0.0.1"), SSL_CERT_FILE=str(certificate[0]))
    assert compiled == 2 and "its certificate is not trusted:" in said  # it is for another name
    plain = serve(Blobs)
    compiled, said = launch(f"https://localhost:{plain.server_address[1]}")
    assert compiled == 2 and "it does not speak TLS" in said


def test_moto(launch, tmp_path):
    """moto's S3 (PyPI), in the environment that MOTO names, or in this one."""
    import os
    python = os.environ.get("MOTO_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import moto.server, boto3"], capture_output=True).returncode:
        pytest.skip("there is no moto (pip install moto[server]); MOTO_PYTHON names a Python that has it")
    program = """
import boto3, os, sys, time
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
client = boto3.client("s3", endpoint_url=f"http://{host}:{port}", region_name="us-east-1", aws_access_key_id="AKIDEXAMPLE", aws_secret_access_key="x")
client.create_bucket(Bucket="bucket")
print(port, flush=True)
sys.stdin.read()
print(*[each["Key"] for each in client.list_objects_v2(Bucket="bucket")["Contents"]], flush=True)
"""
    with subprocess.Popen([python, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        url = f"s3+http://127.0.0.1:{int(server.stdout.readline())}/bucket/kernels"
        assert launch(url) == (2, "") and launch(url) == (0, "")
        names = server.communicate("")[0].split()
    assert len(names) == 3 and all(name.startswith("kernels/") for name in names)
