//===- Notes.cpp - the metadata of a code object --------------------------===//
#include "tessera/Target/AMD/Notes.h"
#include "tessera/Support/Error.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELF.h"

using namespace llvm;
using namespace tessera;
using namespace tessera::amd;

using File = object::ELFFile<object::ELF64LE>;

/// Returns the number of a field; -1 if there is none.
static int numberOf(msgpack::MapDocNode &map, StringRef field) {
  auto found = map.find(field);
  if (found == map.end())
    return -1;
  msgpack::DocNode &node = found->second;
  if (node.getKind() == msgpack::Type::UInt && node.getUInt() <= INT_MAX)
    return int(node.getUInt());
  if (node.getKind() == msgpack::Type::Int && node.getInt() >= 0 && node.getInt() <= INT_MAX)
    return int(node.getInt());
  return -1;
}

static KernelNote readKernel(msgpack::MapDocNode &map) {
  KernelNote note;
  if (auto name = map.find(".name"); name != map.end() && name->second.isString())
    note.name = name->second.getString().str();
  note.vectorRegisters = numberOf(map, ".vgpr_count");
  note.accumulatorRegisters = numberOf(map, ".agpr_count");
  note.scalarRegisters = numberOf(map, ".sgpr_count");
  note.spilledVectorRegisters = numberOf(map, ".vgpr_spill_count");
  note.spilledScalarRegisters = numberOf(map, ".sgpr_spill_count");
  note.scratchBytes = numberOf(map, ".private_segment_fixed_size");
  note.sharedBytes = numberOf(map, ".group_segment_fixed_size");
  note.argumentBytes = numberOf(map, ".kernarg_segment_size");
  note.maxThreads = numberOf(map, ".max_flat_workgroup_size");
  note.threadsPerWarp = numberOf(map, ".wavefront_size");
  return note;
}

static Error readMetadata(StringRef bytes, std::vector<KernelNote> &notes) {
  msgpack::Document document;
  if (!document.readFromBlob(bytes, /*Multi=*/false) || !document.getRoot().isMap())
    return makeError("the code object's note is not a MessagePack map");
  msgpack::MapDocNode &root = document.getRoot().getMap();
  auto kernels = root.find("amdhsa.kernels");
  if (kernels == root.end() || !kernels->second.isArray())
    return makeError("the code object's note has no list 'amdhsa.kernels'");
  for (msgpack::DocNode &kernel : kernels->second.getArray())
    if (kernel.isMap())
      notes.push_back(readKernel(kernel.getMap()));
  return Error::success();
}

Expected<std::vector<KernelNote>> amd::readKernelNotes(StringRef bytes) {
  Expected<File> file = File::create(bytes);
  if (!file)
    return file.takeError();
  Expected<File::Elf_Shdr_Range> sections = file->sections();
  if (!sections)
    return sections.takeError();
  std::vector<KernelNote> notes;
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_NOTE)
      continue;
    Error error = Error::success();
    for (const auto &note : file->notes(section, error)) {
      if (note.getName() != "AMDGPU" || note.getType() != ELF::NT_AMDGPU_METADATA)
        continue;
      // The note's contents are aligned like its section.
      if (Error wrong = readMetadata(note.getDescAsStringRef(section.sh_addralign), notes)) {
        consumeError(std::move(error));
        return wrong;
      }
    }
    if (error)
      return error;
  }
  return notes;
}
