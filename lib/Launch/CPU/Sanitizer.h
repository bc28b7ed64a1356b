//===- Sanitizer.h - the functions that sanitized code calls --------------===//
// Support/AccessSite.h says when and with what; the JIT resolves them by name.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Support/AccessSite.h"
#include "llvm/ADT/StringRef.h"

namespace tessera {

/// Null when there is no such symbol.
void *findSanitizerSymbol(llvm::StringRef name);

/// `sanitizer` is Sanitizer::handle().
int64_t checkSanitizedAccess(void *sanitizer, const AccessSite *site, const uint64_t *pointers,
                             const uint8_t *mask, uint8_t *safe, uint64_t program);
void explainSanitizedWrap(void *sanitizer, const AccessSite *site, uint64_t program,
                          int64_t element, const WrapSite *wrap, int64_t left, int64_t right);

} // namespace tessera
