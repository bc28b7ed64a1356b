"""The lit test format of lib/: a module of its own, because lit sends tests to its workers by pickle."""
import lit.formats


class TestsBesidePasses(lit.formats.ShTest):
    """Only folders named `test` hold tests: lib/SourceToTTIR/Stdlib/*.py, say, are sources."""

    def getTestsInDirectory(self, testSuite, path_in_suite, litConfig, localConfig):
        if "test" in path_in_suite:
            yield from super().getTestsInDirectory(testSuite, path_in_suite, litConfig, localConfig)
