# Files that are not a kernel's source.

# A file that is not there; a folder; an empty name.
# $ tessera compile missing.py --kernel-name add --signature "*fp32"
# $ mkdir folder && tessera compile folder --kernel-name add --signature "*fp32"; status=$?; rmdir folder; exit $status
# $ tessera compile "" --kernel-name add --signature "*fp32"
# $ tessera compile missing/folder/kernel.py --kernel-name add --signature "*fp32"
# $ tessera compile add.py/kernel.py --kernel-name add --signature "*fp32"

# A file that may not be read (root may read everything, so a folder stands in its way there).
# $ ln -s loop.py loop.py && tessera compile loop.py --kernel-name add --signature "*fp32"; status=$?; rm loop.py; exit $status

# Empty, and nothing but blank lines.
# $ : > empty.py && tessera compile empty.py --kernel-name add --signature "*fp32"; status=$?; rm empty.py; exit $status
# $ printf '\n\n  \n' > blank.py && tessera compile blank.py --kernel-name add --signature "*fp32"; status=$?; rm blank.py; exit $status

# Binary: a program, a NUL inside text, text in another encoding.
# $ cp /bin/true binary.py && tessera compile binary.py --kernel-name add --signature "*fp32"; status=$?; rm binary.py; exit $status
# $ printf 'x = 1\ny = \0 2\n' > nul.py && tessera compile nul.py --kernel-name add --signature "*fp32"; status=$?; rm nul.py; exit $status
# $ printf 'x = "caf\351"\n' > latin.py && tessera compile latin.py --kernel-name add --signature "*fp32"; status=$?; rm latin.py; exit $status

# 100 MB: of one comment, of code without a kernel, of zero bytes.
# $ head -c 104857600 /dev/zero | tr '\0' '#' > big.py && tessera compile big.py --kernel-name add --signature "*fp32"; status=$?; rm big.py; exit $status
# $ head -c 104857600 /dev/zero > zeros.py && tessera compile zeros.py --kernel-name add --signature "*fp32"; status=$?; rm zeros.py; exit $status

# Deep nesting ends in a diagnostic, not in a stack overflow.
# $ { printf 'x = '; head -c 100000 /dev/zero | tr '\0' '('; } > deep.py && tessera compile deep.py --kernel-name add --signature "*fp32" | cut -c 1-200; status=${PIPESTATUS[0]}; rm deep.py; exit $status

# A suffix that names no stage.
# $ cp add.py add.txt && tessera compile add.txt --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64"; status=$?; rm add.txt; exit $status
