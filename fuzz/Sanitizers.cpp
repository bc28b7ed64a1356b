//===- Sanitizers.cpp - how the sanitizers run in the fuzzers -------------===//
// MLIR and LLVM come from the distribution and are not instrumented. A checker
// that needs to see every allocation of a container sees only ours and would
// report what is fine, so those checkers are off; reads and writes out of bounds,
// uses after free and undefined behaviour in Tessera's own code are found.
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0"       // BumpPtrAllocator poisons in one half only
         ":detect_container_overflow=0" // so do annotated containers
         ":detect_odr_violation=0"      // both halves have the same globals
         ":allocator_may_return_null=0" // an allocation of terabytes is a finding
         ":max_allocation_size_mb=2048" //
         ":max_free_fill_size=65536"    // MLIR's and LLVM's reads of freed memory are not seen,
         ":free_fill_byte=165"          // but what they read is wrong
         ":detect_stack_use_after_return=0"; // the stack is measured by Emitter::checkDepth
}

extern "C" const char *__ubsan_default_options() { return "print_stacktrace=1:halt_on_error=1"; }
