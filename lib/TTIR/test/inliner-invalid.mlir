// Functions that double at each level: an error, and not the end of memory.
//
// RUN: not tessera-opt %s -tt-inliner 2>&1 | FileCheck %s

// CHECK: error: unsupported: more than 262144 operations in '{{.*}}' once '{{.*}}' is inlined; use noinline=True
tt.func public @kernel(%x: f32) -> f32 {
  %0 = tt.call @f0(%x) : (f32) -> f32
  tt.return %0 : f32
}
tt.func private @f0(%x: f32) -> f32 {
  %0 = tt.call @f1(%x) : (f32) -> f32
  %1 = tt.call @f1(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f1(%x: f32) -> f32 {
  %0 = tt.call @f2(%x) : (f32) -> f32
  %1 = tt.call @f2(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f2(%x: f32) -> f32 {
  %0 = tt.call @f3(%x) : (f32) -> f32
  %1 = tt.call @f3(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f3(%x: f32) -> f32 {
  %0 = tt.call @f4(%x) : (f32) -> f32
  %1 = tt.call @f4(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f4(%x: f32) -> f32 {
  %0 = tt.call @f5(%x) : (f32) -> f32
  %1 = tt.call @f5(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f5(%x: f32) -> f32 {
  %0 = tt.call @f6(%x) : (f32) -> f32
  %1 = tt.call @f6(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f6(%x: f32) -> f32 {
  %0 = tt.call @f7(%x) : (f32) -> f32
  %1 = tt.call @f7(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f7(%x: f32) -> f32 {
  %0 = tt.call @f8(%x) : (f32) -> f32
  %1 = tt.call @f8(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f8(%x: f32) -> f32 {
  %0 = tt.call @f9(%x) : (f32) -> f32
  %1 = tt.call @f9(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f9(%x: f32) -> f32 {
  %0 = tt.call @f10(%x) : (f32) -> f32
  %1 = tt.call @f10(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f10(%x: f32) -> f32 {
  %0 = tt.call @f11(%x) : (f32) -> f32
  %1 = tt.call @f11(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f11(%x: f32) -> f32 {
  %0 = tt.call @f12(%x) : (f32) -> f32
  %1 = tt.call @f12(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f12(%x: f32) -> f32 {
  %0 = tt.call @f13(%x) : (f32) -> f32
  %1 = tt.call @f13(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f13(%x: f32) -> f32 {
  %0 = tt.call @f14(%x) : (f32) -> f32
  %1 = tt.call @f14(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f14(%x: f32) -> f32 {
  %0 = tt.call @f15(%x) : (f32) -> f32
  %1 = tt.call @f15(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f15(%x: f32) -> f32 {
  %0 = tt.call @f16(%x) : (f32) -> f32
  %1 = tt.call @f16(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f16(%x: f32) -> f32 {
  %0 = tt.call @f17(%x) : (f32) -> f32
  %1 = tt.call @f17(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f17(%x: f32) -> f32 {
  %0 = tt.call @f18(%x) : (f32) -> f32
  %1 = tt.call @f18(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f18(%x: f32) -> f32 {
  %0 = tt.call @f19(%x) : (f32) -> f32
  %1 = tt.call @f19(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f19(%x: f32) -> f32 {
  %0 = tt.call @f20(%x) : (f32) -> f32
  %1 = tt.call @f20(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f20(%x: f32) -> f32 {
  %0 = tt.call @f21(%x) : (f32) -> f32
  %1 = tt.call @f21(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f21(%x: f32) -> f32 {
  %0 = tt.call @f22(%x) : (f32) -> f32
  %1 = tt.call @f22(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f22(%x: f32) -> f32 {
  %0 = tt.call @f23(%x) : (f32) -> f32
  %1 = tt.call @f23(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f23(%x: f32) -> f32 {
  %0 = tt.call @f24(%x) : (f32) -> f32
  %1 = tt.call @f24(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @f24(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  tt.return %0 : f32
}
