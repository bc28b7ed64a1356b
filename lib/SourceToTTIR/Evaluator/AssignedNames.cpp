//===- AssignedNames.cpp - the names that statements may assign -----------===//
// One walk over the syntax, without evaluating anything: what a loop may carry,
// and what a failed statement leaves without a value.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"
#include "tessera/Source/Children.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using Names = llvm::SmallVectorImpl<llvm::StringRef>;

void tessera::collectAssignedNames(ast::Seq<ast::Stmt *> body, Names &names) {
  for (const ast::Stmt *statement : body)
    collectAssignedNames(statement, names);
}

void tessera::collectAssignedNames(const ast::Stmt *statement, Names &names) {
  ast::forEachBoundName(statement, [&](ast::Identifier name) {
    if (!llvm::is_contained(names, ref(name)))
      names.push_back(ref(name));
  });
  if (!ast::opensScope(statement))
    ast::forEachChild(statement, {.statement = [&](const ast::Stmt *inner) {
                        collectAssignedNames(inner, names);
                      }});
}
