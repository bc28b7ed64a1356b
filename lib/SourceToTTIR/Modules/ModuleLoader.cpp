//===- ModuleLoader.cpp - the modules that a kernel's file reaches --------===//
#include "ModuleLoader.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "../Builtins/Builtins.h"
#include "../Stdlib/Stdlib.h"

using namespace tessera;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

struct ModuleLoader::File {
  std::unique_ptr<SourceFile> file;
  std::unique_ptr<ast::Module> tree;
  std::unique_ptr<ModuleScope> scope; // null if the file does not parse
  std::shared_ptr<std::vector<Diagnostic>> problems = {};
  ModuleScope *main = nullptr; // instead, if this is the kernel's own file
};

ModuleLoader::ModuleLoader() = default;
ModuleLoader::~ModuleLoader() = default;

//===----------------------------------------------------------------------===//
// The standard library
//===----------------------------------------------------------------------===//

std::optional<Value> ModuleLoader::languageFunction(llvm::StringRef name) {
  const StdlibFunction *function = findStdlibFunction(name);
  if (!function)
    return std::nullopt;
  std::unique_ptr<ModuleScope> &scope = stdlib[function->file];
  if (!scope) {
    const ParsedStdlibFile *parsed = parsedStdlibFile(function->file);
    if (!parsed)
      return std::nullopt;
    scope = std::make_unique<ModuleScope>(*parsed->file, *parsed->module, *this,
                                          path::stem(parsed->file->path()).str());
  }
  return scope->lookup(name);
}

const JitFunction *ModuleLoader::languageMethod(llvm::StringRef name) {
  const StdlibFunction *function = findStdlibFunction(name);
  if (!function || !function->isMethod)
    return nullptr;
  std::optional<Value> value = languageFunction(name);
  const JitObject *object = value ? value->get<JitObject>() : nullptr;
  return object ? object->function : nullptr;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static std::string joined(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<128> result = folder;
  path::append(result, name);
  return std::string(result);
}

static bool isFile(const std::string &name) { return fs::is_regular_file(name); }

/// The real path of a file, which identifies it however its path was written.
static std::string identity(const std::string &name) {
  llvm::SmallString<256> real;
  return fs::real_path(name, real) ? name : std::string(real);
}

ModuleLoader::Place ModuleLoader::placeOf(llvm::StringRef file) {
  return {path::parent_path(file).str(), file.ends_with("__init__.py")};
}

ModuleScope *ModuleLoader::addMain(const SourceFile &file, const ast::Module &tree) {
  main = std::make_unique<ModuleScope>(file, tree, *this, path::stem(file.path()).str());
  // A text without a place in the file system ("<string>") imports nothing.
  if (llvm::StringRef(file.path()).starts_with("<"))
    return main.get();
  std::string folder = path::parent_path(file.path()).str();
  places[main.get()] = placeOf(file.path());
  roots.push_back(folder);
  // Each package's own folder may be a root too: kernels are run as scripts and as modules.
  while (!folder.empty() && isFile(joined(folder, "__init__.py")) && roots.size() < 16) {
    folder = path::parent_path(folder).str();
    roots.push_back(folder);
  }
  return main.get();
}

std::vector<std::string> ModuleLoader::readFiles() const {
  std::vector<std::string> paths;
  for (const auto &[path, file] : files)
    if (file && file->file)
      paths.push_back(file->file->path());
  return paths;
}

ModuleLoader::File *ModuleLoader::load(const std::string &name, const std::string &moduleName) {
  if (!isFile(name))
    return nullptr;
  constexpr size_t kMaxFiles = 4096;
  std::string key = identity(name);
  if (auto known = files.find(key); known != files.end())
    return known->second.get();
  if (files.size() >= kMaxFiles)
    return nullptr;
  std::unique_ptr<File> &slot = files[key];
  slot = std::make_unique<File>();
  File &file = *slot;
  if (main && key == identity(main->sourceFile().path())) {
    file.main = main.get();
    return &file;
  }
  DiagnosticEngine diagnostics;
  file.file = SourceFile::load(name, diagnostics);
  if (file.file)
    file.tree = parseModule(*file.file, diagnostics);
  if (!file.tree) {
    file.problems = std::make_shared<std::vector<Diagnostic>>(diagnostics.diagnostics());
    return &file;
  }
  file.scope = std::make_unique<ModuleScope>(*file.file, *file.tree, *this, moduleName);
  places[file.scope.get()] = placeOf(name);
  return &file;
}

/// The path of a.b below a folder, without an ending: a/b.
static std::string pathBelow(llvm::StringRef folder, llvm::StringRef dotted) {
  std::string path = folder.str();
  for (llvm::StringRef rest = dotted; !rest.empty();) {
    auto [part, more] = rest.split('.');
    path = joined(path, part);
    rest = more;
  }
  return path;
}

/// a.b below a folder: a/b.py, a/b/__init__.py.
ModuleLoader::File *ModuleLoader::find(llvm::StringRef folder, llvm::StringRef dotted,
                                       const std::string &name) {
  std::string base = pathBelow(folder, dotted);
  if (File *package = load(joined(base, "__init__.py"), name))
    return package;
  return dotted.empty() ? nullptr : load(base + ".py", name);
}

std::optional<Value> ModuleLoader::objectFor(File *file, const std::string &name) {
  if (!file)
    return std::nullopt;
  if (file->problems)
    return Value(HostObject{name, "its file has an error", file->problems});
  return Value(ModuleObject{name, file->main ? file->main : file->scope.get()});
}

/// Modules that are never files beside a kernel.
static bool isKnownElsewhere(llvm::StringRef name) {
  llvm::StringRef root = name.split('.').first;
  return root == "triton" || root == "math" || root == "torch" || root == "typing" ||
         root == "sys" || root == "os";
}

std::optional<Value> ModuleLoader::findAbsolute(llvm::StringRef dotted, const std::string &name) {
  if (isKnownElsewhere(dotted) || roots.empty())
    return std::nullopt;
  std::vector<std::string> folders = roots;
  // A folder without an __init__.py is a package, too (PEP 420), and the kernel's file may be in
  // it.
  llvm::SmallString<256> folder(roots.front());
  if (!fs::make_absolute(folder)) {
    llvm::StringRef package = dotted.split('.').first;
    for (llvm::StringRef above = folder; !above.empty(); above = path::parent_path(above))
      if (path::filename(above) == package)
        folders.push_back(path::parent_path(above).str());
  }
  for (const std::string &root : folders)
    if (std::optional<Value> object = objectFor(find(root, dotted, name), name))
      return object;
  for (const std::string &root : folders)
    if (fs::is_directory(pathBelow(root, dotted)))
      return Value(ModuleObject{name});
  return std::nullopt;
}

Value ModuleLoader::import(const ModuleScope &importer, llvm::StringRef written, unsigned level) {
  std::string name = level ? written.str() : canonicalModulePath(written);
  std::string dotted = name; // `name` gets the package in front
  if (level > 0) {
    auto home = places.find(&importer);
    std::string folder = home == places.end() ? "" : home->second.folder;
    for (unsigned i = 1; i < level; ++i)
      folder = folder.empty() ? ".." : path::parent_path(folder).str();
    // The package that the importer is in, as far as its name tells.
    llvm::StringRef package = importer.name();
    bool isPackage = llvm::StringRef(importer.sourceFile().path()).ends_with("__init__.py");
    for (unsigned i = isPackage ? 1 : 0; i < level; ++i)
      package = package.contains('.') ? package.rsplit('.').first : "";
    name = package.str() + (package.empty() || name.empty() ? "" : ".") + name;
    if (home != places.end())
      if (std::optional<Value> object = objectFor(find(folder, dotted, name), name))
        return *object;
    return Value(ModuleObject{name.empty() ? "." : name});
  }
  if (std::optional<Value> object = findAbsolute(dotted, name))
    return *object;
  return Value(ModuleObject{name});
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

/// The constants of Python's own modules on which kernels' files base their choices of code.
static std::optional<Value> knownConstant(llvm::StringRef module, llvm::StringRef name) {
  if (module == "triton" && name == "__version__")
    return Value(std::string("3.6.0")); // whose language this is
  if ((module == "typing" || module == "typing_extensions") && name == "TYPE_CHECKING")
    return Value(false);
  if (module == "sys" && name == "version_info")
    return makeTuple({Value(PythonInt(3)), Value(PythonInt(12)), Value(PythonInt(0))});
  if (module == "os" && name == "environ")
    return Value(ModuleObject{"os.environ"});
  if (module == "packaging" && name == "version")
    return Value(ModuleObject{"packaging.version"});
  return std::nullopt;
}

std::optional<Value> ModuleLoader::member(const ModuleObject &module, llvm::StringRef name) {
  if (module.live)
    return module.live->member(name);
  if (module.scope) {
    std::optional<Value> value = module.scope->lookupHost(name);
    auto place = places.find(module.scope);
    bool isPackage = place != places.end() && place->second.isPackage;
    if (!isPackage || (value && !value->is<HostObject>()))
      return value;
    // A submodule of the package, whether or not something imported it before: also for
    // `from . import x` in the package itself.
    std::string full = module.path + "." + name.str();
    std::optional<Value> submodule = objectFor(find(place->second.folder, name, full), full);
    return submodule ? submodule : value;
  }
  if (std::optional<Value> constant = knownConstant(module.path, name))
    return constant;
  if (std::optional<Value> attribute = lookupModuleAttribute(module.path, name))
    return attribute;
  if (llvm::StringRef(module.path).starts_with("triton.language"))
    if (std::optional<Value> function = languageFunction(name))
      return function;
  // A package without __init__.py: its modules are files, and it has nothing else.
  std::string full = module.path + "." + name.str();
  if (std::optional<Value> object = findAbsolute(full, full))
    return object;
  return Value(HostObject{module.path + "." + name.str(),
                          "an attribute of a module that only Python can load"});
}
