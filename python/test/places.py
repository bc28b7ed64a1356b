"""Where the repository and the build under test are; $BUILD names another build folder, or an unpacked archive."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
PACKAGES = os.path.join(BUILD, "python")
