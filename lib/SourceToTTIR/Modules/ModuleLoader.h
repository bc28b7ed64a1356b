//===- ModuleLoader.h - the modules that a kernel's file reaches ----------===//
// The standard library (Stdlib/) and the Python files beside the kernel's. A
// module is read and indexed when something in it is first asked for. The syntax
// trees of the standard library are shared by the process; what a kernel's
// translation evaluates of them is its own.
//
//   dir/pkg/kernels.py     import utils             dir/pkg/utils.py, dir/utils.py
//   (dir/pkg/__init__.py)  import pkg.utils         dir/pkg/utils.py
//                          from .utils import f     dir/pkg/utils.py
//                          from .. import x         dir/__init__.py, dir/x.py
//
// Absolute imports are looked up beside the kernel's file and at the roots of the
// packages that it is in, which may have no __init__.py. The language's own modules
// are never files.
//===----------------------------------------------------------------------===//
#pragma once

#include "ModuleScope.h"
#include "../Emitter.h"
#include <map>

namespace tessera {

class ModuleLoader : public ModuleLibrary {
public:
  ModuleLoader();
  ~ModuleLoader() override;

  /// The module that the kernel is in: where imports start.
  ModuleScope *addMain(const SourceFile &file, const ast::Module &tree);

  std::optional<Value> languageFunction(llvm::StringRef name) override;
  const JitFunction *languageMethod(llvm::StringRef name) override;

  /// `import path`, with `level` dots in front: a ModuleObject, with a scope if it is a
  /// file; or a HostObject that says what is wrong in the file.
  Value import(const ModuleScope &importer, llvm::StringRef written, unsigned level);
  std::optional<Value> member(const ModuleObject &module, llvm::StringRef name) override;
  /// The budget that the top levels of all modules share.
  Budget::Counts &limits() { return moduleLimits; }
  /// Lives while a statement of some module runs. The outermost one tells where the
  /// stack is: a loader may be used by one thread after another.
  class Activity {
  public:
    explicit Activity(ModuleLoader &loader) : loader(loader) {
      if (loader.active++ == 0)
        loader.moduleLimits.stackBase = static_cast<const char *>(__builtin_frame_address(0));
    }
    ~Activity() { --loader.active; }

  private:
    ModuleLoader &loader;
  };
  /// Says that names come from live objects, so that Python can run what fails here.
  void setLive() { live = true; }
  bool isLive() const override { return live; }
  /// Returns true if files beside the kernel's were read.
  bool hasReadFiles() const { return !files.empty(); }
  /// Their paths.
  std::vector<std::string> readFiles() const;

private:
  struct File; // one Python file beside the kernel's
  File *load(const std::string &path, const std::string &name);
  /// The file of a module below a folder; null if there is none.
  File *find(llvm::StringRef folder, llvm::StringRef path, const std::string &name);
  std::optional<Value> objectFor(File *file, const std::string &name);
  /// The module of an absolute import, if it is a file or a folder.
  std::optional<Value> findAbsolute(llvm::StringRef dotted, const std::string &name);

  std::map<unsigned, std::unique_ptr<ModuleScope>> stdlib; // by file
  std::unique_ptr<ModuleScope> main;
  std::vector<std::string> roots; // folders where absolute imports are looked up
  std::map<std::string, std::unique_ptr<File>> files; // by real path; null if it does not exist
  /// The folder of a module's file.
  struct Place {
    std::string folder;
    bool isPackage; // the file is the __init__.py of the folder
  };
  static Place placeOf(llvm::StringRef file);
  std::map<const Environment *, Place> places;
  Budget::Counts moduleLimits;
  unsigned active = 0;
  bool live = false;
};

} // namespace tessera
