//===- Index.cpp - NAME.json: what a library holds ------------------------===//
#include "Index.h"
#include "tessera/Support/Files.h"
#include "tessera/Support/Json.h"
#include "tessera/Support/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::build;
namespace json = llvm::json;

std::string build::sha256(llvm::StringRef bytes) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes)), /*LowerCase=*/true);
}

static std::string utf8(llvm::StringRef text) {
  return json::isUTF8(text) ? text.str() : json::fixUTF8(text);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Paths below the manifest's folder start there, so that the tree may move.
static std::string relativeTo(llvm::StringRef folder, llvm::StringRef path) {
  path.consume_front((folder + "/").str());
  return utf8(path);
}

static void writeBinary(json::OStream &out, const BuildItem &item, llvm::StringRef folder) {
  out.object([&] {
    out.attribute("target", item.record.target);
    out.attribute("chip", item.chip);
    out.attribute("file", item.fileName);
    out.attribute("bytes", item.binary.size());
    out.attribute("sha256", sha256(item.binary));
    out.attribute("symbol", item.symbol);
    out.attribute("key", item.key);
    out.attributeArray("sources", [&] {
      for (const SourceDigest &source : item.sources)
        out.object([&] {
          out.attribute("file", relativeTo(folder, source.path));
          out.attribute("sha256", source.sha256);
        });
    });
    llvm::Expected<json::Value> record = parseJson(item.record.toText());
    if (record)
      out.attribute("record", std::move(*record));
    else
      llvm::consumeError(record.takeError());
  });
}

static void writeVariant(json::OStream &out, const Index &index, size_t kernel, size_t variant) {
  const ManifestVariant &own = index.manifest.kernels[kernel].variants[variant];
  const auto &choices = index.interfaces[kernel].choices;
  const auto choice = llvm::find_if(choices, [&](const auto &c) { return c.variant == variant; });
  out.object([&] {
    out.attribute("signature", utf8(own.signature));
    out.attribute("order", choice - choices.begin() + 1);
    out.attributeArray("conditions", [&] {
      for (const std::string &condition : choice->conditions)
        out.value(utf8(condition));
    });
    out.attributeArray("binaries", [&] {
      for (const BuildItem &item : index.items)
        if (item.kernel == kernel && item.variant == variant)
          writeBinary(out, item, index.manifest.folder);
    });
  });
}

static void writeKernel(json::OStream &out, const Index &index, size_t number) {
  const ManifestKernel &kernel = index.manifest.kernels[number];
  const LibraryInterface &interface = index.interfaces[number];
  out.object([&] {
    out.attribute("name", utf8(kernel.name));
    out.attribute("function", kernel.function);
    out.attribute("file", utf8(kernel.fileName));
    out.attributeArray("grid", [&] {
      for (const std::string &extent : kernel.grid)
        out.value(utf8(extent));
    });
    out.attributeArray("parameters", [&] {
      for (const LibraryInterface::Parameter &parameter : interface.parameters)
        out.object([&] {
          out.attribute("name", utf8(parameter.nameInPython));
          out.attribute("type", llvm::StringRef(parameter.type).trim());
        });
    });
    out.attributeArray("variants", [&] {
      for (size_t variant = 0; variant < kernel.variants.size(); ++variant)
        writeVariant(out, index, number, variant);
    });
  });
}

std::string build::writeIndex(const Index &index) {
  std::string text;
  llvm::raw_string_ostream os(text);
  json::OStream out(os, /*IndentSize=*/1);
  out.object([&] {
    out.attribute("library", index.manifest.name);
    out.attribute("tessera_version", getVersion());
    out.attribute("build", getBuildIdentity());
    out.attribute("abi_version", kAbiVersion);
    out.attribute("archive_key", index.archiveKey);
    out.attributeArray("outputs", [&] {
      for (const OutputFile &output : index.outputs)
        out.object([&] {
          out.attribute("file", output.name);
          out.attribute("bytes", output.bytes);
          out.attribute("sha256", output.sha256);
        });
    });
    out.attributeArray("kernels", [&] {
      for (size_t kernel = 0; kernel < index.manifest.kernels.size(); ++kernel)
        writeKernel(out, index, kernel);
    });
  });
  out.flush();
  return text + "\n";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Calls `each` for the objects of a list; others are passed over.
static void forEachObject(const json::Object &object, llvm::StringRef list,
                          llvm::function_ref<void(const json::Object &)> each) {
  if (const json::Array *array = object.getArray(list))
    for (const json::Value &value : *array)
      if (const json::Object *inner = value.getAsObject())
        each(*inner);
}

static std::string textOf(const json::Object &object, llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

EarlierIndex::EarlierIndex(const std::string &folder, const Manifest &manifest)
    : folder(folder), manifestFolder(manifest.folder) {
  llvm::Expected<std::string> text = readPlainFile(folder + "/" + manifest.name + ".json");
  llvm::Expected<json::Value> parsed = text ? parseJson(*text) : text.takeError();
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return;
  }
  root = std::move(*parsed);
  const json::Object *object = root.getAsObject();
  if (!object || textOf(*object, "build") != getBuildIdentity()) {
    root = nullptr;
    return;
  }
  forEachObject(*object, "kernels", [&](const json::Object &kernel) {
    forEachObject(kernel, "variants", [&](const json::Object &variant) {
      forEachObject(variant, "binaries", [&](const json::Object &binary) {
        binaries[textOf(binary, "file")] = &binary;
      });
    });
  });
}

std::string EarlierIndex::archiveKey() const {
  const json::Object *object = root.getAsObject();
  return object ? textOf(*object, "archive_key") : "";
}

std::string EarlierIndex::digestOf(llvm::StringRef output) const {
  std::string digest;
  if (const json::Object *object = root.getAsObject())
    forEachObject(*object, "outputs", [&](const json::Object &each) {
      if (textOf(each, "file") == output)
        digest = textOf(each, "sha256");
    });
  return digest;
}

bool EarlierIndex::reuse(BuildItem &item) const {
  auto found = binaries.find(item.fileName);
  if (found == binaries.end())
    return false;
  const json::Object &earlier = *found->second;
  const json::Object *record = earlier.getObject("record");
  if (textOf(earlier, "key") != item.key || !record)
    return false;
  std::vector<SourceDigest> sources;
  bool areSame = true;
  forEachObject(earlier, "sources", [&](const json::Object &source) {
    llvm::SmallString<256> path(textOf(source, "file"));
    llvm::sys::path::make_absolute(manifestFolder, path);
    sources.push_back({path.str().str(), textOf(source, "sha256")});
    llvm::Expected<std::string> text = readFile(sources.back().path);
    areSame &= text && sha256(*text) == sources.back().sha256;
    if (!text)
      llvm::consumeError(text.takeError());
  });
  if (!areSame)
    return false;
  llvm::Expected<KernelRecord> read =
      KernelRecord::parse(llvm::formatv("{0}", json::Value(json::Object(*record))).str());
  llvm::Expected<std::string> binary = readPlainFile(folder + "/" + item.fileName);
  bool isUsable = read && binary && sha256(*binary) == textOf(earlier, "sha256");
  if (isUsable) {
    item.record = std::move(*read);
    item.binary = std::move(*binary);
    item.sources = std::move(sources);
    item.isDone = item.isReused = true;
  }
  llvm::consumeError(read ? llvm::Error::success() : read.takeError());
  llvm::consumeError(binary ? llvm::Error::success() : binary.takeError());
  return isUsable;
}
