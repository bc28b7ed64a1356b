# The tests beside the passes, lib/**/test, run under the configuration of test/.
import os

here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(here, "..", "test", "lit.cfg.py"))
import litformat  # test/ is on sys.path now

config.name = "lib"
config.test_source_root = here
config.test_exec_root = os.path.join(os.path.dirname(config.test_exec_root), "lib")
config.test_format = litformat.TestsBesidePasses(execute_external=False)
