# Files that are not a kernel's source.
# % compile() { tessera compile "$@" --kernel-name add --signature "*fp32"; }

# A file that is not there; a folder; an empty name.
# $ compile missing.py
# | error: cannot read 'missing.py': there is no such file
# = 1
# & mkdir folder
# $ compile folder
# | error: cannot read 'folder': it is a directory
# = 1
# $ compile ""
# | error: cannot read a file: its name is empty
# = 1
# $ compile missing/folder/kernel.py
# | error: cannot read 'missing/folder/kernel.py': there is no such file
# = 1
# $ compile add.py/kernel.py
# | error: cannot read 'add.py/kernel.py': Not a directory
# = 1

# A link that leads to itself.
# & ln -s loop.py loop.py
# $ compile loop.py
# | error: cannot read 'loop.py': Too many levels of symbolic links
# = 1

# Empty, and nothing but blank lines.
# & : > empty.py
# $ compile empty.py
# | empty.py: error: no kernel 'add'; the file has no function decorated with @triton.jit
# = 1
# & printf '\n\n  \n' > blank.py
# $ compile blank.py
# | blank.py: error: no kernel 'add'; the file has no function decorated with @triton.jit
# = 1

# Binary: the start of a program, a NUL inside text, text in another encoding.
# & printf '\177ELF\002\001\001\000\000\320\043\000' > binary.py
# $ compile binary.py
# | binary.py:1:10: error: (unicode error) 'utf-8' codec can't decode byte 0xd0 in position 9: invalid continuation byte
# | ?ELF?????�#?
# |          ^
# = 1
# & printf 'x = 1\ny = \0 2\n' > nul.py
# $ compile nul.py
# | nul.py:2:5: error: source code cannot contain null bytes
# | y = ? 2
# |     ^
# = 1
# & printf 'x = "caf\351"\n' > latin.py
# $ compile latin.py
# | latin.py:1:9: error: (unicode error) 'utf-8' codec can't decode byte 0xe9 in position 8: invalid continuation byte
# | x = "caf�"
# |         ^
# = 1

# 100 MB: of one comment, of code without a kernel, of zero bytes.
# & head -c 104857600 /dev/zero | tr '\0' '#' > big.py
# $ compile big.py
# | big.py: error: no kernel 'add'; the file has no function decorated with @triton.jit
# = 1
# & head -c 104857600 /dev/zero > zeros.py
# $ compile zeros.py
# | zeros.py:1:1: error: source code cannot contain null bytes
# | ????????????????????????????????????????????????????????????????????????????????????????????????????????????????????????...
# | ^
# = 1

# Deep nesting ends in a diagnostic, not in a stack overflow.
# & { printf 'x = '; head -c 100000 /dev/zero | tr '\0' '('; } > deep.py
# $ compile deep.py | cut -c 1-200; exit ${PIPESTATUS[0]}
# | deep.py:1:205: error: too many nested parentheses
# | ...((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((...
# |                                                                                    ^
# = 1

# A suffix that names no stage.
# & cp add.py add.txt
# $ compile add.txt
# | error: 'add.txt': cannot start from a file ending in '.txt'; cuda:90 starts from .py, .ttir, .ttgir, .llir, .ptx, .cubin
# = 1
