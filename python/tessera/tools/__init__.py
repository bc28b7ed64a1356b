"""Tools around kernels: ahead-of-time compilation (compile, link), disassembly, descriptors built on the host, MX formats."""
