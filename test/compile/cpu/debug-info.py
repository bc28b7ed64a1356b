# What DWARF says of a CPU kernel: every line with --debug-info, those that are left without; arguments and variables.
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: tessera compile %s --kernel-name scale --signature "*fp32,*fp32,i32,64" --target cpu --emit obj,llir,ttir -o full --debug-info --debug-dir /folder
# RUN: llvm-dwarfdump --verify full.obj
# RUN: llvm-dwarfdump --debug-info full.obj | FileCheck %s --check-prefix=INFO
# RUN: llvm-dwarfdump --debug-line full.obj | FileCheck %s --check-prefix=LINE
# RUN: tessera compile %s --kernel-name scale --signature "*fp32,*fp32,i32,64" --target cpu --emit obj -o table
# RUN: llvm-dwarfdump --debug-info table.obj | FileCheck %s --check-prefix=TABLE
# RUN: tessera compile %s --kernel-name scale --signature "*fp32,*fp32,i32,64" --target cpu --emit obj -o none --no-line-info
# RUN: llvm-readelf -S none.obj | FileCheck %s --check-prefix=NONE
# RUN: FileCheck %s --check-prefix=TTIR < full.ttir

# INFO: DW_AT_producer ("Tessera
# INFO: DW_TAG_subprogram
# INFO: DW_AT_name ("scale")
# INFO: DW_AT_decl_line ([[#KERNEL:]])
# INFO: DW_TAG_formal_parameter
# INFO-NEXT: DW_AT_location (DW_OP_fbreg
# INFO-NEXT: DW_AT_name ("x_ptr")
# INFO: DW_AT_type ({{.*}}"float *")
# INFO: DW_TAG_formal_parameter
# INFO: DW_AT_name ("out_ptr")
# INFO: DW_TAG_formal_parameter
# INFO: DW_AT_name ("n")
# INFO: DW_AT_type ({{.*}}"int32_t")
# INFO: DW_AT_name ("program_id")
# INFO: DW_AT_type ({{.*}}"int32_t[3]")
# INFO: DW_AT_name ("num_programs")
# INFO: DW_AT_name ("first")
# INFO: DW_AT_name ("i")
# INFO-NOT: DW_AT_name ("offsets")

# Every line of the body from `first =` to the store is there, and that of the helper.
# LINE: Address Line
# LINE-DAG: {{^0x[0-9a-f]+ +}}[[#@LINE + 21]] {{.*}}is_stmt
# LINE-DAG: {{^0x[0-9a-f]+ +}}[[#@LINE + 25]] {{.*}}is_stmt
# LINE-DAG: {{^0x[0-9a-f]+ +}}[[#@LINE + 25]] {{.*}}is_stmt
# LINE-DAG: {{^0x[0-9a-f]+ +}}[[#@LINE + 25]] {{.*}}is_stmt
# LINE-DAG: {{^0x[0-9a-f]+ +}}[[#@LINE + 25]] {{.*}}is_stmt
# LINE-DAG: {{^0x[0-9a-f]+ +}}[[#@LINE + 25]] {{.*}}is_stmt
# LINE-DAG: {{^0x[0-9a-f]+ +}}[[#@LINE + 25]] {{.*}}is_stmt

# TABLE: DW_TAG_compile_unit
# TABLE-NOT: DW_TAG_formal_parameter
# NONE-NOT: .debug

# The value that a variable holds is marked before passes move anything.
# TTIR: #[[MARK:loc[0-9]*]] = loc(fused<"variable">[
# TTIR: loc("first"(#[[MARK]]))
import triton
import triton.language as tl


@triton.jit
def twice(x):
    return x * 2.0


@triton.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK * 4
    for i in range(0, 4):
        offsets = first + i * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offsets, mask=offsets < n)
        y = twice(x)
        tl.store(out_ptr + offsets, y, mask=offsets < n)
