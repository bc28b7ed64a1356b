//===- Registry.cpp - the targets there are -------------------------------===//
// Asks each vendor of Config/Targets.def, which CMake writes from the list of
// folders. Nothing here names one.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Error.h"
#include "tessera/Target/Target.h"
#include "tessera/Target/Vendor.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tessera;

namespace tessera {
#define TESSERA_TARGET(name) const Vendor &get##name##Vendor();
#include "tessera/Config/Targets.def"
} // namespace tessera

static SmallVector<const Vendor *> allVendors() {
  return {
#define TESSERA_TARGET(name) &get##name##Vendor(),
#include "tessera/Config/Targets.def"
  };
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

const Stage &tessera::binaryStage(ArrayRef<Stage> stages) {
  return *find_if(reverse(stages), [](const Stage &stage) { return !stage.onDemand; });
}

std::string tessera::loadableExtension(ArrayRef<Stage> stages, const ToolPaths &tools) {
  const Stage &binary = binaryStage(stages);
  bool isMissing = !binary.tool.empty() && tools.get(binary.tool).empty();
  return isMissing && &binary != stages.begin() ? (&binary - 1)->extension : binary.extension;
}

CompileOptions tessera::withoutTensorMaps(CompileOptions options) {
  cantFail(setOption(options, "tma", "off")); // the option's value is any string
  return options;
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

static std::string knownTargets() {
  SmallVector<std::string> known;
  for (const TargetDescription &target : listTargets())
    known.push_back(target.name);
  return "known are " + join(known, ", ");
}

/// The targets, listed once: each compilation and each load from a pack looks a name up.
static ArrayRef<TargetDescription> allTargets() {
  static const SmallVector<TargetDescription> targets = listTargets();
  return targets;
}

/// The target of a chip's name, with or without the letter that ends some.
static std::string targetOfChip(StringRef chip) {
  for (const TargetDescription &target : allTargets()) {
    StringRef known = target.chip;
    if (!known.empty() && (chip == known || chip == known.rtrim("abcdefgh")))
      return target.name;
  }
  return "";
}

/// The target whose name has the number that `text` ends in, apart from a letter after it.
static std::string targetOfNumber(StringRef text) {
  text = text.rtrim("abcdefgh");
  StringRef number = text.take_back(text.size() - text.find_last_not_of("0123456789") - 1);
  for (const TargetDescription &target : listTargets())
    if (!number.empty() && StringRef(target.name).split(':').second == number)
      return target.name;
  return "";
}

Expected<std::unique_ptr<tessera::Target>> tessera::createTarget(StringRef text,
                                                                 const ToolPaths &tools) {
  auto create = [&](StringRef name) -> std::unique_ptr<Target> {
    for (const Vendor *vendor : allVendors())
      if (std::unique_ptr<Target> target = vendor->create(name, tools))
        return target;
    return nullptr;
  };
  if (std::unique_ptr<Target> target = create(text))
    return target;
  if (std::string ofChip = targetOfChip(text); !ofChip.empty())
    return create(ofChip);
  std::string meant = targetOfNumber(text);
  return makeError("unknown target '" + text + "'; " + knownTargets() +
                   (meant.empty() ? "" : "; did you mean '" + meant + "'?"));
}

SmallVector<TargetDescription> tessera::listTargets() {
  SmallVector<TargetDescription> targets;
  for (const Vendor *vendor : allVendors())
    append_range(targets, vendor->list());
  return targets;
}

SmallVector<StringRef> tessera::optionsOfOtherTargets(StringRef name) {
  SmallVector<StringRef> flags;
  auto isNamed = [&](const TargetDescription &target) { return target.name == name; };
  for (const Vendor *vendor : allVendors())
    if (none_of(vendor->list(), isNamed))
      append_range(flags, vendor->options());
  return flags;
}

std::string tessera::defaultTarget() {
  static const std::string name = [] { // every request has it
    for (const TargetDescription &target : allTargets())
      if (target.isDefault)
        return target.name;
    return std::string();
  }();
  return name;
}

void tessera::registerTargetDialects(mlir::DialectRegistry &registry) {
  for (const Vendor *vendor : allVendors())
    vendor->registerDialects(registry);
}

void tessera::registerTargetPasses(mlir::DialectRegistry &registry) {
  for (const Vendor *vendor : allVendors())
    vendor->registerPasses(registry);
}

bool tessera::targetPassNeedsLayouts(StringRef pass) {
  return any_of(allVendors(), [&](const Vendor *vendor) { return vendor->needsLayouts(pass); });
}

//===----------------------------------------------------------------------===//
// Tools
//===----------------------------------------------------------------------===//

SmallVector<ToolRole> tessera::listTools() {
  SmallVector<ToolRole> roles;
  for (const Vendor *vendor : allVendors())
    append_range(roles, vendor->tools());
  return roles;
}

SmallVector<FoundTool> tessera::findTools(const ToolPlaces &places) {
  SmallVector<FoundTool> found;
  for (const Vendor *vendor : allVendors())
    append_range(found, vendor->findTools(places));
  return found;
}

ToolPaths tessera::toolPaths(ArrayRef<FoundTool> tools) {
  ToolPaths paths;
  for (const Vendor *vendor : allVendors())
    vendor->chooseTools(tools, paths);
  return paths;
}
