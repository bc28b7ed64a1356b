"""Programs that are run from packs, in a place without tools."""
import os
import subprocess
import sys

from places import BUILD, PACKAGES

TESSERA = os.path.join(BUILD, "bin", "tessera")


def run(place, numbers="256", program="serve.py", status=0, cache="cache", **variables):
    """Runs the program as `import triton` users do, with a PATH that has nothing and a cache folder of its own."""
    empty = place / "empty"
    empty.mkdir(exist_ok=True)
    environment = {"PATH": str(empty), "HOME": str(place), "TESSERA_CACHE_DIR": str(place / cache), "PYTHONPATH": PACKAGES,
                   "PYTHONDONTWRITEBYTECODE": "1", **{name: str(value) for name, value in variables.items()}}
    done = subprocess.run([sys.executable, "-m", "tessera", str(place / program), numbers], env=environment, cwd=place,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def tessera(*arguments, status=0, **options):
    done = subprocess.run([TESSERA, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr
