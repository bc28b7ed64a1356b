//===- ReadNames.cpp - the names that code may read -----------------------===//
// One walk over the syntax, without evaluating anything: what a statement of a
// module's top level needs first, and what a function inside a function captures.
// Names that the code itself binds are included; nobody minds.
//===----------------------------------------------------------------------===//
#include "Translator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"

using namespace tessera;
using llvm::dyn_cast;

namespace {
struct Walk {
  llvm::SmallVectorImpl<llvm::StringRef> &names;

  void all(ast::Seq<ast::Expr *> expressions) {
    for (const ast::Expr *expression : expressions)
      read(expression);
  }
  void all(ast::Seq<ast::Comprehension *> generators) {
    for (const ast::Comprehension *generator : generators) {
      read(generator->iter);
      all(generator->ifs);
    }
  }
  void all(ast::Seq<ast::Stmt *> body) {
    for (const ast::Stmt *statement : body)
      read(statement);
  }
  void defaults(const ast::Arguments &arguments) {
    all(arguments.defaults);
    all(arguments.kw_defaults);
  }

  void read(const ast::Expr *expression) {
    if (!expression)
      return;
    if (auto *name = dyn_cast<ast::Name>(expression)) {
      names.push_back(ref(name->id));
    } else if (auto *attribute = dyn_cast<ast::Attribute>(expression)) {
      read(attribute->value);
    } else if (auto *call = dyn_cast<ast::Call>(expression)) {
      read(call->func);
      all(call->args);
      for (const ast::Keyword *keyword : call->keywords)
        read(keyword->value);
    } else if (auto *operation = dyn_cast<ast::BinOp>(expression)) {
      read(operation->left);
      read(operation->right);
    } else if (auto *operation = dyn_cast<ast::UnaryOp>(expression)) {
      read(operation->operand);
    } else if (auto *operation = dyn_cast<ast::BoolOp>(expression)) {
      all(operation->values);
    } else if (auto *comparison = dyn_cast<ast::Compare>(expression)) {
      read(comparison->left);
      all(comparison->comparators);
    } else if (auto *conditional = dyn_cast<ast::IfExp>(expression)) {
      read(conditional->test);
      read(conditional->body);
      read(conditional->orelse);
    } else if (auto *subscript = dyn_cast<ast::Subscript>(expression)) {
      read(subscript->value);
      read(subscript->slice);
    } else if (auto *slice = dyn_cast<ast::Slice>(expression)) {
      read(slice->lower);
      read(slice->upper);
      read(slice->step);
    } else {
      readContainer(expression);
    }
  }

  void readContainer(const ast::Expr *expression) {
    if (auto *tuple = dyn_cast<ast::Tuple>(expression)) {
      all(tuple->elts);
    } else if (auto *list = dyn_cast<ast::List>(expression)) {
      all(list->elts);
    } else if (auto *set = dyn_cast<ast::Set>(expression)) {
      all(set->elts);
    } else if (auto *dict = dyn_cast<ast::Dict>(expression)) {
      all(dict->keys);
      all(dict->values);
    } else if (auto *starred = dyn_cast<ast::Starred>(expression)) {
      read(starred->value);
    } else if (auto *text = dyn_cast<ast::JoinedStr>(expression)) {
      all(text->values);
    } else if (auto *hole = dyn_cast<ast::FormattedValue>(expression)) {
      read(hole->value);
      read(hole->format_spec);
    } else if (auto *named = dyn_cast<ast::NamedExpr>(expression)) {
      read(named->value);
    } else if (auto *lambda = dyn_cast<ast::Lambda>(expression)) {
      defaults(*lambda->args);
      read(lambda->body);
    } else if (auto *list = dyn_cast<ast::ListComp>(expression)) {
      all(list->generators);
      read(list->elt);
    } else if (auto *set = dyn_cast<ast::SetComp>(expression)) {
      all(set->generators);
      read(set->elt);
    } else if (auto *generator = dyn_cast<ast::GeneratorExp>(expression)) {
      all(generator->generators);
      read(generator->elt);
    } else if (auto *dict = dyn_cast<ast::DictComp>(expression)) {
      all(dict->generators);
      read(dict->key);
      read(dict->value);
    }
  }

  void read(const ast::Stmt *statement) {
    if (auto *assign = dyn_cast<ast::Assign>(statement)) {
      all(assign->targets); // x[i] = ... reads x
      read(assign->value);
    } else if (auto *assign = dyn_cast<ast::AnnAssign>(statement)) {
      read(assign->value);
    } else if (auto *assign = dyn_cast<ast::AugAssign>(statement)) {
      read(assign->target);
      read(assign->value);
    } else if (auto *expression = dyn_cast<ast::ExprStmt>(statement)) {
      read(expression->value);
    } else if (auto *result = dyn_cast<ast::Return>(statement)) {
      read(result->value);
    } else if (auto *conditional = dyn_cast<ast::If>(statement)) {
      read(conditional->test);
      all(conditional->body);
      all(conditional->orelse);
    } else if (auto *loop = dyn_cast<ast::ForLike>(statement)) {
      read(loop->iter);
      all(loop->body);
      all(loop->orelse);
    } else if (auto *loop = dyn_cast<ast::While>(statement)) {
      read(loop->test);
      all(loop->body);
      all(loop->orelse);
    } else if (auto *assertion = dyn_cast<ast::Assert>(statement)) {
      read(assertion->test);
      read(assertion->msg);
    } else if (auto *raise = dyn_cast<ast::Raise>(statement)) {
      read(raise->exc);
    } else if (auto *remove = dyn_cast<ast::Delete>(statement)) {
      all(remove->targets);
    } else if (auto *attempt = dyn_cast<ast::TryLike>(statement)) {
      all(attempt->body);
      for (const ast::ExceptHandler *handler : attempt->handlers)
        all(handler->body);
      all(attempt->orelse);
      all(attempt->finalbody);
    } else if (auto *function = dyn_cast<ast::FunctionLike>(statement)) {
      defaults(*function->args);
      all(function->body);
    }
  }
};
} // namespace

void tessera::collectReadNames(const ast::Expr *expression,
                               llvm::SmallVectorImpl<llvm::StringRef> &names) {
  Walk{names}.read(expression);
}

void tessera::collectReadNames(ast::Seq<ast::Stmt *> body,
                               llvm::SmallVectorImpl<llvm::StringRef> &names) {
  Walk{names}.all(body);
}
