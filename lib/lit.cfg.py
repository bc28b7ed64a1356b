# The tests beside the passes, lib/**/test, run under the configuration of test/.
import os

import lit.formats

here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(here, "..", "test", "lit.cfg.py"))
config.name = "lib"
config.test_source_root = here
config.test_exec_root = os.path.join(os.path.dirname(config.test_exec_root), "lib")


class TestsBesidePasses(lit.formats.ShTest):
    """Only folders named `test` hold tests: lib/SourceToTTIR/Stdlib/*.py, say, are sources."""

    def getTestsInDirectory(self, testSuite, path_in_suite, litConfig, localConfig):
        if "test" in path_in_suite:
            yield from super().getTestsInDirectory(testSuite, path_in_suite, litConfig, localConfig)


config.test_format = TestsBesidePasses(execute_external=False)
