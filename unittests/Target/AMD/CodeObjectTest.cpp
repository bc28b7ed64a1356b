//===- CodeObjectTest.cpp - assembling, linking and reading notes ---------===//
// The linker's results are compared with those of ld.lld by scripts/check-linker; here are the
// parts of an object file that are wrong.
//===----------------------------------------------------------------------===//
#include "tessera/Target/AMD/Assembler.h"
#include "tessera/Target/AMD/Linker.h"
#include "tessera/Target/AMD/Notes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tessera;
using namespace tessera::amd;

namespace endian = llvm::support::endian;
using File = object::ELFFile<object::ELF64LE>;

/// A kernel that reads a table by its address; `extra` is assembled behind it.
static std::string kernelText(StringRef extra = "") {
  return (R"(
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
  .text
  .globl k
  .protected k
  .p2align 8
  .type k,@function
k:
  s_getpc_b64 s[0:1]
  s_add_u32 s0, s0, table@rel32@lo+4
  s_addc_u32 s1, s1, table@rel32@hi+12
  s_load_dword s2, s[0:1], 0x0
  s_endpgm
.Lend:
  .size k, .Lend-k
  .section .rodata.cst16,"aM",@progbits,16
  .p2align 4
table:
  .long 1, 2, 3, 4
)" + extra +
          R"(
  .rodata
  .p2align 6
  .amdhsa_kernel k
    .amdhsa_next_free_vgpr 5
    .amdhsa_next_free_sgpr 3
    .amdhsa_accum_offset 4
    .amdhsa_group_segment_fixed_size 256
  .end_amdhsa_kernel
  .amdgpu_metadata
---
amdhsa.kernels:
  - .args: []
    .agpr_count: 1
    .group_segment_fixed_size: 256
    .kernarg_segment_align: 8
    .kernarg_segment_size: 0
    .max_flat_workgroup_size: 256
    .name: k
    .private_segment_fixed_size: 24
    .sgpr_count: 9
    .sgpr_spill_count: 1
    .symbol: k.kd
    .vgpr_count: 5
    .vgpr_spill_count: 6
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.version: [1, 2]
...
  .end_amdgpu_metadata
)")
      .str();
}

static const AmdSpec &chip() { return *AmdSpec::find("gfx942"); }

/// The problems of assembling, one a line: "2:1: invalid instruction".
static std::string assemblyProblems(StringRef text) {
  SmallVector<AssemblyProblem> problems;
  EXPECT_FALSE(assembleObject(text, chip(), problems));
  std::string lines;
  for (const AssemblyProblem &problem : problems)
    lines += std::to_string(problem.line) + ":" + std::to_string(problem.column) + ": " +
             problem.message + "\n";
  return lines;
}

static std::string assemble(StringRef text) {
  SmallVector<AssemblyProblem> problems;
  std::optional<std::string> object = assembleObject(text, chip(), problems);
  for (const AssemblyProblem &problem : problems)
    ADD_FAILURE() << problem.line << ": " << problem.message;
  return object.value_or("");
}

static std::string linkError(StringRef object) {
  Expected<std::string> linked = linkCodeObject(object);
  return linked ? "" : toString(linked.takeError());
}

/// The header of the section of this name.
static File::Elf_Shdr findSection(StringRef object, StringRef name) {
  File file = cantFail(File::create(object));
  for (const File::Elf_Shdr &section : cantFail(file.sections()))
    if (cantFail(file.getSectionName(section)) == name)
      return section;
  ADD_FAILURE() << "no section " << name.str();
  return {};
}

/// Changes a field of the header of a section, at `offset` in it.
static std::string withHeaderField(std::string object, StringRef name, size_t offset,
                                   uint64_t value, unsigned bytes) {
  File file = cantFail(File::create(object));
  for (auto [index, section] : enumerate(cantFail(file.sections())))
    if (cantFail(file.getSectionName(section)) == name) {
      char *at = object.data() + file.getHeader().e_shoff + 64 * index + offset;
      bytes == 8 ? endian::write64le(at, value) : endian::write32le(at, uint32_t(value));
      return object;
    }
  ADD_FAILURE() << "no section " << name.str();
  return object;
}

/// Changes the first relocation of the descriptor: its offset, its type or its symbol.
static std::string withRelocation(std::string object, size_t offset, uint64_t value,
                                  unsigned bytes) {
  char *at = object.data() + findSection(object, ".rela.rodata").sh_offset + offset;
  bytes == 8 ? endian::write64le(at, value) : endian::write32le(at, uint32_t(value));
  return object;
}

TEST(Assembler, ReportsLines) {
  EXPECT_EQ("2:1: invalid instruction\n", assemblyProblems(".text\nfoo bar\n"));
  EXPECT_EQ("1:1: too few operands for instruction\n3:1: unknown directive\n",
            assemblyProblems("v_add_f32 v0, v1\ns_endpgm\n.nonsense 1\n"));
  EXPECT_TRUE(StringRef(assemblyProblems(".text\ns_branch nowhere\n.quad nowhere - here\n"))
                  .contains("nowhere"));
}

TEST(Assembler, RefusesDirectivesOfInlineAssembly) {
  std::string inlineText = "\t;;#ASMSTART\n\tv_mov_b32 v0, v1\nhere: .space 99999999999\n";
  EXPECT_EQ("3:7: inline assembly may have instructions, but no directives\n",
            assemblyProblems(inlineText + "\t;;#ASMEND\n"));
  EXPECT_EQ("2:2: inline assembly may have instructions, but no directives\n",
            assemblyProblems(";;#ASMSTART\n\t.incbin \"/etc/hostname\"\n;;#ASMEND\n"));
  EXPECT_NE("", assemble(";;#ASMSTART\n.Lhere: v_mov_b32 v0, v1\n;;#ASMEND\n.long 4\n"));
}

TEST(Linker, PlacesAndResolves) {
  std::string object = assemble(kernelText());
  std::string linked = cantFail(linkCodeObject(object));
  File::Elf_Shdr constants = findSection(linked, ".rodata"), code = findSection(linked, ".text");
  // The descriptor has the distance to the kernel at byte 16.
  uint64_t distance = endian::read64le(linked.data() + constants.sh_offset + 64 + 16);
  uint64_t descriptor = constants.sh_addr + 64;
  EXPECT_EQ(code.sh_addr, descriptor + distance);
  // The table precedes the descriptor, aligned. The code adds its distance from the literal, less
  // 4, to the address of the instruction after s_getpc.
  const char *text = linked.data() + code.sh_offset;
  uint64_t low = endian::read32le(text + 8), high = endian::read32le(text + 16);
  EXPECT_EQ(constants.sh_addr, code.sh_addr + 4 + (low | high << 32));
  EXPECT_EQ(1u, endian::read32le(linked.data() + constants.sh_offset));
}

TEST(Linker, MergesEqualConstants) {
  std::string twice = assemble(kernelText("other:\n .long 1, 2, 3, 4\n .long 5, 6, 7, 8\n"));
  File::Elf_Shdr constants = findSection(cantFail(linkCodeObject(twice)), ".rodata");
  EXPECT_EQ(64u + 64u, constants.sh_size); // two entries, and the aligned descriptor
  EXPECT_EQ("section '.rodata.str1.1' ends in a string without an end",
            linkError(assemble(".section .rodata.str1.1,\"aMS\",@progbits,1\n.ascii \"open\"\n")));
}

TEST(Linker, RefusesWhatItCannotResolve) {
  auto refused = [](StringRef extra) { return linkError(assemble(kernelText(extra))); };
  EXPECT_EQ("symbol 'missing' is not defined; a code object must be complete",
            refused(".data\n .quad missing\n"));
  EXPECT_EQ("relocation R_AMDGPU_GOTPCREL32_LO (8) against 'k' in section '.text', which this "
            "linker does not know",
            refused(".text\n s_add_u32 s0, s0, k@gotpcrel32@lo+4\n"));
  EXPECT_EQ("the address of 'k' in the read-only section '.rodata', which only the loader could "
            "know",
            refused(".rodata\n .quad k\n"));
  EXPECT_EQ("section '.both' is both code and writable",
            refused(".section .both,\"awx\",@progbits\n .long 0\n"));
  EXPECT_EQ("section '.dynamic', which the linker itself makes",
            refused(".section .dynamic,\"a\",@progbits\n .long 0\n"));
  EXPECT_TRUE(StringRef(refused(".section .thread,\"awT\",@progbits\n .long 0\n"))
                  .starts_with("section '.thread' has flags that kernels do not have"));
  EXPECT_EQ("section '.first' has a type that kernels do not have: SHT_INIT_ARRAY",
            refused(".section .first,\"aw\",@init_array\n .quad 0\n"));
}

TEST(Linker, LeavesAddressesInDataToTheLoader) {
  std::string linked = cantFail(linkCodeObject(assemble(kernelText(".data\nd: .quad d\n"))));
  File::Elf_Shdr relocations = findSection(linked, ".rela.dyn"),
                 data = findSection(linked, ".data");
  ASSERT_EQ(24u, relocations.sh_size);
  const char *entry = linked.data() + relocations.sh_offset;
  EXPECT_EQ(data.sh_addr, endian::read64le(entry));
  EXPECT_EQ(uint64_t(ELF::R_AMDGPU_RELATIVE64), endian::read64le(entry + 8));
  EXPECT_EQ(data.sh_addr, endian::read64le(entry + 16));
}

TEST(Linker, RefusesBadNumbers) {
  std::string object = assemble(kernelText());
  EXPECT_TRUE(StringRef(linkError(withRelocation(object, 0, 1000, 8)))
                  .starts_with("relocation R_AMDGPU_REL64 at offset 1000 of section '.rodata'"));
  EXPECT_TRUE(StringRef(linkError(withRelocation(object, 0, ~uint64_t(0) - 3, 8)))
                  .starts_with("relocation R_AMDGPU_REL64 at offset 18446744073709551612"));
  EXPECT_TRUE(StringRef(linkError(withRelocation(object, 8, 77, 4)))
                  .starts_with("relocation Unknown (77) against 'k' in section '.rodata'"));
  EXPECT_TRUE(StringRef(linkError(withRelocation(object, 12, 1 << 20, 4)))
                  .starts_with("a relocation of section '.rodata' names symbol 1048576"));
  constexpr size_t offsetField = 24, sizeField = 32, infoField = 44, alignField = 48;
  EXPECT_TRUE(StringRef(linkError(withHeaderField(object, ".text", alignField, 3, 8)))
                  .contains("'.text' has the alignment 3"));
  EXPECT_TRUE(StringRef(linkError(withHeaderField(object, ".text", alignField, 1ull << 62, 8)))
                  .contains("'.text' has the alignment"));
  EXPECT_TRUE(StringRef(linkError(withHeaderField(object, ".text", offsetField, ~0ull, 8)))
                  .starts_with("section '.text'"));
  EXPECT_TRUE(StringRef(linkError(withHeaderField(object, ".text", sizeField, 1ull << 40, 8)))
                  .starts_with("section '.text'"));
  EXPECT_TRUE(StringRef(linkError(withHeaderField(object, ".rela.rodata", infoField, 999, 4)))
                  .starts_with("relocations for section 999"));
  EXPECT_TRUE(StringRef(linkError(withHeaderField(object, ".rodata.cst16", sizeField, 15, 8)))
                  .contains("does not consist of entries of 16 bytes"));
}

/// Whatever a byte is changed to, the result is an error or a file, and no memory is read that is
/// not there (scripts/sanitize runs this with AddressSanitizer).
TEST(Linker, TrustsNothing) {
  std::string object = assemble(kernelText());
  EXPECT_NE("", linkError(""));
  EXPECT_NE("", linkError("\x7f"
                          "ELF"));
  for (size_t size = 0; size < object.size(); size += 7)
    EXPECT_NE("", linkError(StringRef(object).take_front(size))) << size;
  for (size_t i = 0; i < object.size(); ++i)
    for (int change : {0x01, 0x80, 0xff}) {
      std::string bad = object;
      bad[i] = char(bad[i] ^ change);
      Expected<std::string> linked = linkCodeObject(bad);
      if (linked)
        consumeError(readKernelNotes(*linked).takeError());
      else
        consumeError(linked.takeError());
    }
  // The result itself is no object file.
  EXPECT_EQ("not a relocatable object file of an AMD GPU",
            linkError(cantFail(linkCodeObject(object))));
}

TEST(Notes, DescribeTheKernel) {
  std::string linked = cantFail(linkCodeObject(assemble(kernelText())));
  std::vector<KernelNote> notes = cantFail(readKernelNotes(linked));
  ASSERT_EQ(1u, notes.size());
  EXPECT_EQ("k", notes[0].name);
  EXPECT_EQ(5, notes[0].vectorRegisters);
  EXPECT_EQ(1, notes[0].accumulatorRegisters);
  EXPECT_EQ(9, notes[0].scalarRegisters);
  EXPECT_EQ(6, notes[0].spilledVectorRegisters);
  EXPECT_EQ(1, notes[0].spilledScalarRegisters);
  EXPECT_EQ(24, notes[0].scratchBytes);
  EXPECT_EQ(256, notes[0].sharedBytes);
  EXPECT_EQ(0, notes[0].argumentBytes);
  EXPECT_EQ(256, notes[0].maxThreads);
  EXPECT_EQ(64, notes[0].threadsPerWarp);
}

TEST(Notes, MayBeWrong) {
  auto error = [](StringRef contents) {
    std::string text = (".section .note,\"a\",@note\n.long 7, .Lb-.La, 32\n.asciz \"AMDGPU\"\n"
                        ".p2align 2\n.La:\n" +
                        contents + "\n.Lb:\n.p2align 2\n")
                           .str();
    Expected<std::vector<KernelNote>> notes = readKernelNotes(assemble(text));
    return notes ? "" : toString(notes.takeError());
  };
  EXPECT_EQ("the code object's note is not a MessagePack map", error(".byte 0xc1"));
  EXPECT_EQ("the code object's note is not a MessagePack map", error(".byte 0x91, 0xdd, 255"));
  EXPECT_EQ("the code object's note has no list 'amdhsa.kernels'", error(".byte 0x80"));
}
