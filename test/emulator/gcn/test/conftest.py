"""Lets the tests of this folder import assembly.py."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
