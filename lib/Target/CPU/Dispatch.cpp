//===- Dispatch.cpp - versions of a function for several processors ------===//
// See Dispatch.h. The level is determined once per object and kept in a variable; threads that
// determine it concurrently store the same value.
//===----------------------------------------------------------------------===//
#include "Dispatch.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace tessera;
using namespace tessera::cpu;

/// Determines the highest level of the x86-64 psABI that this machine and its operating system
/// support: 2, 3 or 4. The bits are those of Intel's manual, CPUID and XCR0. All features of a
/// level are tested, since the code generator relies on all of them.
static constexpr StringLiteral kFindLevel = R"(
@tessera.level = global i32 0

define i32 @tessera.findLevel() noinline nounwind {
  %l0 = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0, i32 0)
  %last = extractvalue { i32, i32, i32, i32 } %l0, 0
  %short = icmp ult i32 %last, 7
  br i1 %short, label %two, label %ask
ask:
  %l1 = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 1, i32 0)
  %c1 = extractvalue { i32, i32, i32, i32 } %l1, 2
  ; fma 12, movbe 22, osxsave 27, avx 28, f16c 29
  %m1 = and i32 %c1, 943722496
  %has1 = icmp eq i32 %m1, 943722496
  br i1 %has1, label %saved, label %two
saved:
  ; which registers the system saves: xmm 1, ymm 2; opmask 5, zmm 6 and 7
  %x = call { i32, i32 } asm sideeffect ".byte 0x0f, 0x01, 0xd0", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0)
  %xcr = extractvalue { i32, i32 } %x, 0
  %ymm = and i32 %xcr, 6
  %hasYmm = icmp eq i32 %ymm, 6
  %l7 = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 7, i32 0)
  %b7 = extractvalue { i32, i32, i32, i32 } %l7, 1
  ; bmi1 3, avx2 5, bmi2 8
  %m7 = and i32 %b7, 296
  %has7 = icmp eq i32 %m7, 296
  %le = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 -2147483647, i32 0)
  %ce = extractvalue { i32, i32, i32, i32 } %le, 2
  ; lzcnt 5
  %me = and i32 %ce, 32
  %hase = icmp ne i32 %me, 0
  %both = and i1 %hasYmm, %has7
  %three = and i1 %both, %hase
  ; avx512: f 16, dq 17, cd 28, bw 30, vl 31
  %m8 = and i32 %b7, -805109760
  %has8 = icmp eq i32 %m8, -805109760
  %zmm = and i32 %xcr, 230
  %hasZmm = icmp eq i32 %zmm, 230
  %wide = and i1 %has8, %hasZmm
  %four = and i1 %wide, %three
  %low = select i1 %three, i32 3, i32 2
  %level = select i1 %four, i32 4, i32 %low
  br label %two
two:
  %found = phi i32 [ 2, %0 ], [ 2, %ask ], [ %level, %saved ]
  store atomic i32 %found, ptr @tessera.level monotonic, align 4
  ret i32 %found
}
)";

/// Returns 3 for "x86-64-v3".
static unsigned levelOf(const Version &version) {
  unsigned level = 0;
  StringRef(version.processor).rsplit("-v").second.getAsInteger(10, level);
  return level;
}

/// Defines `name`, which calls one of `name`.v2, `name`.v3, ... with its own arguments.
static void addDispatcher(Module &module, StringRef name, ArrayRef<unsigned> levels) {
  LLVMContext &context = module.getContext();
  Function *oldest = module.getFunction((name + ".v" + Twine(levels.front())).str());
  Function *chooser =
      Function::Create(oldest->getFunctionType(), GlobalValue::ExternalLinkage, name, module);
  chooser->addFnAttr(Attribute::NoUnwind);
  BasicBlock *entry = BasicBlock::Create(context, "", chooser);
  BasicBlock *find = BasicBlock::Create(context, "find", chooser);
  BasicBlock *choose = BasicBlock::Create(context, "choose", chooser);

  IRBuilder<> builder(entry);
  LoadInst *known =
      builder.CreateLoad(builder.getInt32Ty(), module.getNamedGlobal("tessera.level"));
  known->setAtomic(AtomicOrdering::Monotonic);
  known->setAlignment(Align(4));
  builder.CreateCondBr(builder.CreateICmpEQ(known, builder.getInt32(0)), find, choose);

  builder.SetInsertPoint(find);
  Value *found = builder.CreateCall(module.getFunction("tessera.findLevel"));
  builder.CreateBr(choose);

  builder.SetInsertPoint(choose);
  PHINode *level = builder.CreatePHI(builder.getInt32Ty(), 2);
  level->addIncoming(known, entry);
  level->addIncoming(found, find);
  SwitchInst *pick = nullptr;
  for (unsigned each : levels) {
    BasicBlock *block = BasicBlock::Create(context, "v" + Twine(each), chooser);
    if (pick)
      pick->addCase(builder.getInt32(each), block);
    else
      pick = IRBuilder<>(choose).CreateSwitch(level, block, levels.size());
    IRBuilder<> jump(block);
    SmallVector<Value *> arguments;
    for (Argument &argument : chooser->args())
      arguments.push_back(&argument);
    CallInst *call =
        jump.CreateCall(module.getFunction((name + ".v" + Twine(each)).str()), arguments);
    call->setTailCall();
    jump.CreateRet(call);
  }
}

Expected<std::unique_ptr<Module>> cpu::joinVersions(MutableArrayRef<Version> versions) {
  SmallVector<std::string> names;
  SmallVector<unsigned> levels;
  for (Function &function : *versions.front().module)
    if (!function.isDeclaration() && function.hasExternalLinkage())
      names.push_back(function.getName().str());
  std::unique_ptr<Module> result;
  for (Version &version : versions) {
    unsigned level = levelOf(version);
    levels.push_back(level);
    for (Function &function : *version.module) {
      if (function.isDeclaration())
        continue;
      // The code generator's target is the oldest processor; attributes of functions name the
      // features they use beyond it.
      function.addFnAttr("target-cpu", version.processor);
      if (!function.hasExternalLinkage())
        continue;
      function.setName(function.getName() + ".v" + Twine(level));
    }
    if (!result)
      result = std::move(version.module);
    else if (Linker::linkModules(*result, std::move(version.module)))
      return makeError("the versions of a kernel for several processors do not fit together");
  }
  SMDiagnostic problem;
  std::unique_ptr<Module> finder = parseAssemblyString(kFindLevel, problem, result->getContext());
  if (!finder)
    return makeError("the dispatcher does not parse: " + problem.getMessage());
  finder->setTargetTriple(result->getTargetTriple());
  finder->setDataLayout(result->getDataLayout());
  if (Linker::linkModules(*result, std::move(finder)))
    return makeError("the dispatcher does not fit the kernel");
  for (StringRef name : names)
    addDispatcher(*result, name, levels);
  // Linkage is changed last, because the linker drops internal functions without users.
  for (GlobalObject &object : result->global_objects())
    if (!object.isDeclaration() && !is_contained(names, object.getName()))
      object.setLinkage(GlobalValue::InternalLinkage);
  return result;
}
