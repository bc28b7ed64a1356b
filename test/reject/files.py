# Files that are not a kernel's source.
# % compile() { tessera compile "$@" --kernel-name add --signature "*fp32"; }

# A file that is not there; a folder; an empty name.
# $ compile missing.py
# & mkdir folder
# $ compile folder
# $ compile ""
# $ compile missing/folder/kernel.py
# $ compile add.py/kernel.py

# A link that leads to itself.
# & ln -s loop.py loop.py
# $ compile loop.py

# Empty, and nothing but blank lines.
# & : > empty.py
# $ compile empty.py
# & printf '\n\n  \n' > blank.py
# $ compile blank.py

# Binary: a program, a NUL inside text, text in another encoding.
# & cp /bin/true binary.py
# $ compile binary.py
# & printf 'x = 1\ny = \0 2\n' > nul.py
# $ compile nul.py
# & printf 'x = "caf\351"\n' > latin.py
# $ compile latin.py

# 100 MB: of one comment, of code without a kernel, of zero bytes.
# & head -c 104857600 /dev/zero | tr '\0' '#' > big.py
# $ compile big.py
# & head -c 104857600 /dev/zero > zeros.py
# $ compile zeros.py

# Deep nesting ends in a diagnostic, not in a stack overflow.
# & { printf 'x = '; head -c 100000 /dev/zero | tr '\0' '('; } > deep.py
# $ compile deep.py | cut -c 1-200; exit ${PIPESTATUS[0]}

# A suffix that names no stage.
# & cp add.py add.txt
# $ compile add.txt
