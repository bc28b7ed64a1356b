# What is characteristic of each example in TTIR. test/run/launches/test_examples.py compiles every signature of every example.

# The two command lines that people come with, as they are.
# RUN: rm -rf %t && mkdir -p %t/examples && cp %examples/*.py %t/examples && cd %t
# RUN: tessera compile --kernel-name conv3d_kernel --signature "*i8,*i8,*i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,128,64,32,1,0" --grid=512,1,1 examples/conv3d.py --emit ttir
# RUN: FileCheck %s --check-prefix=CONV --input-file=conv3d_kernel.ttir
# RUN: tessera compile --kernel-name triton_multi_scale_deformable_attention_fwd_kernel --signature "*fp32,*fp32,*fp32,*fp32,*fp32,i32,i32,i32,i32,i32,i32,i32,64,4,4,0,0" --grid=100,2,8 examples/msda.py --emit ttir
# RUN: FileCheck %s --check-prefix=MSDA --input-file=triton_multi_scale_deformable_attention_fwd_kernel.ttir

# One loop over the filters' weights, in int8 with an int32 sum.
# CONV-LABEL: tt.func public @conv3d_kernel(
# CONV:         scf.for
# CONV-COUNT-2:   tt.load
# CONV:           tt.dot {{.*}} : tensor<128x32xi8> * tensor<32x64xi8> -> tensor<128x64xi32>
# CONV:         tt.store {{.*}} : tensor<128x64x!tt.ptr<i32>>

# The levels' starts by a scan, their sizes from floats to integers; four neighbours of every point; no loop is left.
# MSDA-LABEL: tt.func public @triton_multi_scale_deformable_attention_fwd_kernel(
# MSDA-COUNT-2: arith.fptosi {{.*}} : tensor<4xf32> to tensor<4xi32>
# MSDA:         "tt.scan"
# MSDA-NOT:     scf.
# MSDA-COUNT-4: tt.load {{.*}} : tensor<4x4x64x!tt.ptr<f32>>
# MSDA-NOT:     tt.load
# MSDA-COUNT-2: "tt.reduce"
# MSDA:         tt.store {{.*}} : tensor<64x!tt.ptr<f32>>

# RUN: tessera compile %examples/softmax.py -n softmax_kernel -s "*fp32,*fp32,i32,i32,i32,i32,1024" --emit ttir -o - | FileCheck %s --check-prefix=SOFTMAX
# SOFTMAX:      scf.for
# SOFTMAX:        "tt.reduce"
# SOFTMAX:          arith.maxnumf
# SOFTMAX:        math.exp
# SOFTMAX:        "tt.reduce"
# SOFTMAX:          arith.addf
# SOFTMAX:      } {tt.num_stages = 2 : i32}

# RUN: tessera compile %examples/layer_norm.py -n layer_norm_kernel -s "*fp32,*fp32,*fp32,*fp32,*fp32,*fp32,i32,i32,fp32,1024" --emit ttir -o - | FileCheck %s --check-prefix=NORM
# NORM:      scf.for
# NORM:      "tt.reduce"(%{{.+}}, %{{.+}}, %{{.+}}) <{axis = 0 : i32}>
# NORM:        tt.reduce.return %{{.+}}, %{{.+}}, %{{.+}} : f32, f32, f32
# NORM:      math.rsqrt
# NORM:      scf.for

# RUN: tessera compile %examples/matmul.py -n matmul_kernel -s "*fp16:16,*fp16:16,*fp16:16,i32,i32,i32,i32:16,i32:1,i32:16,i32:1,i32:16,i32:1,128,256,64,8,0" --emit ttir -o - | FileCheck %s --check-prefix=MATMUL
# RUN: tessera compile %examples/matmul_block_ptr.py -n matmul_block_ptr_kernel -s "*fp16:16,*fp16:16,*fp16:16,i32,i32,i32,i32:16,i32:1,i32:16,i32:1,i32:16,i32:1,128,256,64,8" --emit ttir -o - | FileCheck %s --check-prefix=MATMUL --implicit-check-not=make_tensor_ptr
# MATMUL-NOT:  tt.call
# MATMUL:      scf.for
# MATMUL:        tt.load {{.*}} : tensor<128x64x!tt.ptr<f16>>
# MATMUL:        tt.load {{.*}} : tensor<64x256x!tt.ptr<f16>>
# MATMUL:        tt.dot {{.*}} : tensor<128x64xf16> * tensor<64x256xf16> -> tensor<128x256xf32>
# MATMUL:      arith.truncf {{.*}} : tensor<128x256xf32> to tensor<128x256xf16>
# MATMUL:      tt.store

# A function of another file is found there and inlined. Hopper keeps descriptors, Ampere has none.
# RUN: tessera compile %examples/matmul_descriptor.py -n matmul_descriptor_kernel -s "*fp16:16,*fp16:16,*fp16:16,i32,i32,i32:16,128,256,64,8" --emit ttir -o - | FileCheck %s --check-prefix=DESC
# RUN: tessera compile %examples/matmul_descriptor.py -n matmul_descriptor_kernel -s "*fp16:16,*fp16:16,*fp16:16,i32,i32,i32:16,128,256,64,8" --target cuda:80 --emit ttir -o - | FileCheck %s --check-prefix=NODESC
# DESC-COUNT-3: tt.make_tensor_descriptor
# DESC:         scf.for
# DESC-COUNT-2:   tt.descriptor_load
# DESC:           tt.trans
# DESC:         tt.descriptor_store
# NODESC-NOT:   {{tt\.[a-z_]*descriptor}}
# NODESC:       tt.dot
# NODESC-NOT:   {{tt\.[a-z_]*descriptor}}

# Two walks over the keys, of which the first has no mask.
# RUN: tessera compile %examples/attention.py -n attention_kernel -s "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,fp32,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32:16,i32,i32,128,128,64,1" --emit ttir -o - | FileCheck %s --check-prefix=ATTENTION
# ATTENTION:      scf.for
# ATTENTION:        tt.load %{{[a-z0-9_]+}} : tensor<128x64x!tt.ptr<f16>>
# ATTENTION:        tt.dot
# ATTENTION:        math.exp2
# ATTENTION:        tt.load %{{[a-z0-9_]+}} : tensor<64x128x!tt.ptr<f16>>
# ATTENTION:        tt.dot
# ATTENTION:      scf.for
# ATTENTION:        tt.load %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : tensor<128x64x!tt.ptr<f16>>
# ATTENTION:        tt.dot
# ATTENTION:        arith.select
# ATTENTION:        tt.dot
# ATTENTION:      math.log2

# Ten rounds of Philox.
# RUN: tessera compile %examples/dropout.py -n dropout_kernel -s "*fp32,*fp32,i32,fp32,i32,1024" --emit ttir -o - | FileCheck %s --check-prefix=DROPOUT
# DROPOUT-COUNT-18: tt.mulhiui
# DROPOUT:          arith.select

# RUN: tessera compile %examples/grouped_gemm.py -n grouped_gemm_kernel -s "*i64,*i32,i32,128,128,32" --emit ttir -o - | FileCheck %s --check-prefix=GROUPED
# GROUPED:         scf.for
# GROUPED-COUNT-3:   tt.int_to_ptr {{.*}} : i64 -> !tt.ptr<f16>
# GROUPED:           scf.while
# GROUPED:             tt.dot

# RUN: tessera compile %examples/scan.py -n linear_recurrence_kernel -s "*fp32,*fp32,*fp32,i32,i32,256" --emit ttir -o - | FileCheck %s --check-prefix=SCAN
# SCAN: "tt.scan"(%{{.+}}, %{{.+}}) <{axis = 0 : i32, reverse = false}>
# SCAN:   tt.scan.return %{{.+}}, %{{.+}} : f32, f32

# RUN: tessera compile %examples/sort.py -n sort_kernel -s "*fp32,*fp32,i32,i32,256,0" --emit ttir -o - | FileCheck %s --check-prefix=SORT
# SORT:          arith.constant dense<0x7F800000> : tensor<256xf32>
# SORT:          tt.reshape {{.*}} -> tensor<2x2x2x2x2x2x2x2xf32>
# SORT-COUNT-36: "tt.reduce"
# SORT-NOT:      "tt.reduce"
# SORT:          tt.store

# RUN: tessera compile %examples/histogram.py -n block_histogram_kernel -s "*i32,*i32,i32,256,1024" --emit ttir -o - | FileCheck %s --check-prefix=HISTOGRAM
# HISTOGRAM: tt.histogram
# HISTOGRAM: tt.atomic_rmw add, relaxed, gpu
