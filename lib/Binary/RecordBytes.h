//===- RecordBytes.h - the record in a cache entry ------------------------===//
// A cache entry holds its KernelRecord as bytes: JSON would take longer to read than
// all else of a hit. Only the build that wrote an entry reads it (its identity is part
// of the key), so the form may change with the record.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/KernelRecord.h"

namespace tessera {

std::string encodeRecord(const KernelRecord &record);
/// Nothing if the bytes are not exactly a record.
std::optional<KernelRecord> decodeRecord(llvm::StringRef bytes);

} // namespace tessera
