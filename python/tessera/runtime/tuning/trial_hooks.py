"""What happens around the runs of a trial if the user names arguments (reset_to_zero, restore_value) instead of giving hooks."""
from __future__ import annotations

from . import guard


def no_pre_hook(kwargs, reset_only=False):
    return None


def no_post_hook(kwargs, exception):
    return None


class ArgumentReset:
    """Sets the arguments `reset_to_zero` of an autotuner to zero before each run, and restores `restore_value` after it."""

    def __init__(self, tuner):
        self._tuner = tuner  # whose lists programs may change

    def before(self, kwargs, reset_only=False):
        tuner = self._tuner
        for name in tuner.reset_to_zero:
            if kwargs[name] is not None:  # an argument that this call does without
                guard.zero(kwargs[name])
        if not reset_only:
            there = [name for name in tuner.restore_value if kwargs[name] is not None]
            tuner.restore_copies = {name: guard.copy_of(kwargs[name]) for name in there}

    def after(self, kwargs, exception):
        for name, copy in self._tuner.restore_copies.items():
            guard.put_back(kwargs[name], copy)
        self._tuner.restore_copies = {}
