// Random programs compute the same after each pass as before (Inputs/keeps_meaning.py, Inputs/random_programs.py).
//
// RUN: /usr/bin/python3 %S/Inputs/keeps_meaning.py 0:60 -- -tt-combine | FileCheck %s
// RUN: /usr/bin/python3 %S/Inputs/keeps_meaning.py 60:120 -- -tt-reorder-broadcast | FileCheck %s
// RUN: /usr/bin/python3 %S/Inputs/keeps_meaning.py 120:180 -- -tt-loop-invariant-code-motion | FileCheck %s
// RUN: /usr/bin/python3 %S/Inputs/keeps_meaning.py 180:240 -- -tt-loop-aware-cse | FileCheck %s
// RUN: /usr/bin/python3 %S/Inputs/keeps_meaning.py 240:300 -- -tt-canonicalizer | FileCheck %s
// RUN: /usr/bin/python3 %S/Inputs/keeps_meaning.py 300:360 -- -make-ttir | FileCheck %s
// RUN: /usr/bin/python3 %S/Inputs/keeps_meaning.py 360:420 -- -make-ttir -tt-loop-invariant-code-motion -tt-loop-aware-cse -tt-canonicalizer | FileCheck %s
//
// CHECK: 60 programs mean the same, {{[3-6][0-9]}} look different
