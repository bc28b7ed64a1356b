//===- MetadataBytes.h - the record in a cache entry ----------------------===//
// A cache entry holds its KernelMetadata as bytes: JSON would take longer to read than
// all else of a hit. Only the build that wrote an entry reads it (its identity is part
// of the key), so the form may change with the record.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Binary/KernelMetadata.h"

namespace tessera {

std::string encodeMetadata(const KernelMetadata &record);
/// Nothing if the bytes are not exactly a record.
std::optional<KernelMetadata> decodeMetadata(llvm::StringRef bytes);

} // namespace tessera
