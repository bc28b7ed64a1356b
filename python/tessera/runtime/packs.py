"""Packs: files of compiled kernels and tuned choices (`tessera pack`, docs/packs.md).

    tessera.load_pack("model.tpack")          later launches look there first, before the cache folder
    TESSERA_PACK=model.tpack                  the same for a whole program; several are separated by ':'
    TESSERA_PACK_KEY=model.pub                packs must be signed with this key
    TESSERA_ON_COMPILE=error|warn|allow       what happens if no pack and no cache has a kernel

The library reads packs (lib/Binary/PackFile.h). This file passes the names on, and finds choices of autotune.
"""
from __future__ import annotations

import json
import os

from .. import _native, knobs

_choices: dict = {}  # (settings of the session, kernel) -> its choices
_is_ready = False


def get_ready():
    """Imports what a launch from a pack needs, when a kernel is defined, so that the first launch does not. Opens neither a pack nor
    a driver."""
    global _is_ready
    if not _is_ready:
        _is_ready = True
        import importlib
        importlib.import_module("tessera.compiler")
        for vendor in ("cpu", "nvidia", "amd"):
            importlib.import_module(f"tessera.backends.{vendor}.compiler")
        importlib.import_module("tessera.runtime.driver")


def load_pack(path, key=None):
    """Lets later launches take their kernels and autotune's choices from a pack. `key` names a file with a public key; a pack that
    was not signed with it raises ValueError, and so does a file that is no pack."""
    path = os.path.abspath(os.fspath(path))
    if ":" in path:
        raise ValueError(f"the name of a pack has no ':', which separates names in TESSERA_PACK: {path!r}")
    if key is not None:
        key = os.path.abspath(os.fspath(key))
    _native.Session(settings_of(path, key or knobs.runtime.pack_key, ""))  # checks it
    if key is not None:
        knobs.runtime.pack_key = key
    known = [each for each in knobs.runtime.pack.split(":") if each]
    if path not in known:
        knobs.runtime.pack = ":".join([*known, path])


def settings_of(pack, key, on_compile):
    """The settings of a session of the library; the key counts for packs that follow it."""
    settings = {"pack-key": key, "pack": pack, "on-compile": on_compile}
    return {name: value for name, value in settings.items() if value}


def settings():
    return settings_of(knobs.runtime.pack, knobs.runtime.pack_key, knobs.runtime.on_compile)


def packed_choices(kernel):
    """The choices of autotune for a kernel of this name, from all packs: dicts as tuning/tables.py writes them."""
    wanted = settings()
    if "pack" not in wanted:
        return []
    known = _choices.get((wanted["pack"], kernel))
    if known is None:
        from ..compiler.session import session_for
        try:
            text = session_for(wanted).choices(kernel)
        except _native.CompileFailure as problem:
            import warnings
            from ..errors import level_of_program
            warnings.warn(str(problem), RuntimeWarning, stacklevel=level_of_program())
            text = "[]"
        known = _choices[wanted["pack"], kernel] = [each for each in json.loads(text) if isinstance(each, dict)]
    return known
