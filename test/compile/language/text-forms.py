# A byte-order mark and Windows line ends change nothing but the locations' file.
# RUN: rm -rf %t && mkdir -p %t/plain %t/bom %t/crlf %t/both
# RUN: cp %examples/add.py %t/plain/add.py
# RUN: bash -c 'printf "\xef\xbb\xbf"; cat %examples/add.py' > %t/bom/add.py
# RUN: sed 's/$/\r/' %examples/add.py > %t/crlf/add.py
# RUN: bash -c 'printf "\xef\xbb\xbf"; sed "s/$/\r/" %examples/add.py' > %t/both/add.py
# RUN: bash -c 'for f in plain bom crlf both; do (cd %t/$f && tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --emit ttir,ptx -o add) || exit 1; done'
# RUN: diff %t/plain/add.ttir %t/bom/add.ttir
# RUN: diff %t/plain/add.ttir %t/crlf/add.ttir
# RUN: diff %t/plain/add.ttir %t/both/add.ttir
# RUN: diff %t/plain/add.ptx %t/both/add.ptx
