"""A clock for tests that passes only when told to, so that a busy machine changes nothing."""


class VirtualTime:
    """Stands for the module `time` in what is tested."""

    def __init__(self):
        self.now = 1.0

    def perf_counter(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
