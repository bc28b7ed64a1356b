//===- AotNames.cpp - the names in a generated C file ---------------------===//
// See AotNames.h.
//===----------------------------------------------------------------------===//
#include "AotNames.h"
#include "tessera/Kernel/DType.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <dlfcn.h>

using namespace tessera;

llvm::StringRef aot::scalarType(llvm::StringRef type) {
  std::optional<DType> scalar = DType::parse(type);
  return scalar ? scalar->cType() : "double";
}

//===----------------------------------------------------------------------===//
// What C has already
//===----------------------------------------------------------------------===//

bool aot::isIdentifier(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// Keywords of C and C++, and macros of compilers and of the C library's headers.
static bool isWordOfC(llvm::StringRef name) {
  static constexpr llvm::StringLiteral words[] = {
      "alignas",       "alignof",   "asm",       "auto",     "bool",      "case",     "catch",
      "char",          "char16_t",  "char32_t",  "char8_t",  "compl",     "concept",  "const",
      "constexpr",     "consteval", "constinit", "co_await", "co_return", "co_yield", "decltype",
      "default",       "delete",    "do",        "double",   "enum",      "explicit", "export",
      "extern",        "false",     "float",     "friend",   "goto",      "inline",   "int",
      "long",          "mutable",   "namespace", "new",      "noexcept",  "nullptr",  "operator",
      "private",       "protected", "public",    "register", "requires",  "restrict", "short",
      "signed",        "sizeof",    "static",    "struct",   "switch",    "template", "this",
      "throw",         "true",      "typedef",   "typeid",   "typename",  "typeof",   "union",
      "unsigned",      "using",     "virtual",   "void",     "volatile",  "and_eq",   "bitand",
      "bitor",         "not_eq",    "or_eq",     "xor",      "xor_eq",    "NULL",     "EOF",
      "stdin",         "stdout",    "stderr",    "linux",    "unix",      "errno",    "and",
      "break",         "continue",  "else",      "for",      "if",        "not",      "or",
      "return",        "try",       "while",     "L_tmpnam", "L_ctermid", "P_tmpdir", "i386",
      "sched_priority"};
  return llvm::is_contained(words, name) || name.starts_with("PRI") || name.starts_with("SCN");
}

static bool hasNoLowerCase(llvm::StringRef name) {
  return llvm::none_of(name, [](char c) { return llvm::isLower(c); });
}

/// Macros of <stdint.h>, <stdlib.h>, <unistd.h> and <pthread.h>, by what they have in common.
static bool looksLikeMacroOfC(llvm::StringRef name) {
  static constexpr llvm::StringLiteral heads[] = {
      "ADJ_",  "CLOCK_", "CLONE_", "CLOSE_", "CPU_", "CSIGNAL", "EXIT_",  "FD_",   "F_",   "L_",
      "MB_",   "MOD_",   "NFD",    "NULL",   "PTHR", "RAND_",   "SCHED_", "SEEK_", "STA_", "STD",
      "TEMP_", "TIME",   "WCON",   "WEXI",   "WIF",  "WNO",     "WSTOP",  "WTERM", "WUNT"};
  static constexpr llvm::StringLiteral tails[] = {"_MAX", "_MIN",    "_WIDTH",    "_C",
                                                  "_OK",  "_ENDIAN", "BYTE_ORDER"};
  return hasNoLowerCase(name) &&
         (llvm::any_of(heads, [&](llvm::StringRef head) { return name.starts_with(head); }) ||
          llvm::any_of(tails, [&](llvm::StringRef tail) { return name.ends_with(tail); }));
}

/// Types of the same headers.
static bool isTypeOfC(llvm::StringRef name) {
  static constexpr llvm::StringLiteral types[] = {
      "FILE",     "_IO_lock_t",  "blkcnt_t",  "blksize_t",  "caddr_t",   "char8_t", "char16_t",
      "char32_t", "clock_t",     "clockid_t", "cpu_set_t",  "daddr_t",   "dev_t",   "div_t",
      "fd_mask",  "fd_set",      "fpos_t",    "fsblkcnt_t", "fsid_t",    "gid_t",   "fsfilcnt_t",
      "id_t",     "imaxdiv_t",   "ino_t",     "key_t",      "ldiv_t",    "lldiv_t", "locale_t",
      "loff_t",   "max_align_t", "mode_t",    "nlink_t",    "nullptr_t", "off_t",   "off64_t",
      "pid_t",    "ptrdiff_t",   "quad_t",    "register_t", "sigset_t",  "size_t",  "socklen_t",
      "ssize_t",  "suseconds_t", "time_t",    "timer_t",    "u_char",    "u_int",   "u_long",
      "u_quad_t", "u_short",     "uid_t",     "uint",       "ulong",     "ushort",  "useconds_t",
      "va_list",  "wchar_t",     "wint_t",    "id_type_t",  "idtype_t",  "timeval", "timespec"};
  llvm::StringRef rest = name;
  bool isInteger =
      (rest.consume_front("u_int") || rest.consume_front("uint") || rest.consume_front("int")) &&
      rest.ends_with("_t");
  bool isThread = name.starts_with("pthread_") && name.ends_with("_t");
  return isInteger || isThread || llvm::is_contained(types, name);
}

/// Functions and variables of the C library: a program that defines one of its own, and the library
/// itself, would call that one.
static bool isOfLibrary(llvm::StringRef name) {
  std::string symbol = name.str();
  for (const char *library : {"libc.so.6", "libm.so.6"}) {
    void *handle = ::dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (!handle)
      continue;
    bool isThere = ::dlsym(handle, symbol.c_str()) != nullptr;
    ::dlclose(handle);
    if (isThere)
      return true;
  }
  return false;
}

std::string aot::whyNoFunction(llvm::StringRef name) {
  if (!isIdentifier(name))
    return "a C function's name has letters, digits and '_', and no digit first";
  // Names that begin with __ belong to the compiler; most are free, its keywords and macros are
  // not.
  bool isCompilers =
      name.starts_with("__") &&
      (name.ends_with("__") || name.starts_with("__builtin") || name.starts_with("__atomic") ||
       name.starts_with("__sync") ||
       llvm::is_contained({"__asm", "__attribute", "__const", "__extension", "__inline", "__int128",
                           "__restrict", "__signed", "__thread", "__typeof", "__volatile",
                           "__alignof", "__label", "__real", "__imag", "__complex", "__null"},
                          name));
  bool isKeyword = name.size() > 1 && name[0] == '_' && llvm::isUpper(name[1]);
  if (isWordOfC(name) || isTypeOfC(name) || looksLikeMacroOfC(name) || isCompilers || isKeyword)
    return "C or C++ has the name already";
  if (name == "main" || isOfLibrary(name))
    return "the C library has the name already";
  return "";
}

/// Parameters may be renamed freely, so this is generous.
static bool isFreeForParameter(llvm::StringRef name) {
  bool mayBeMacro = hasNoLowerCase(name) && name.size() >= 4;
  return aot::isIdentifier(name) && !isWordOfC(name) && !mayBeMacro && !isTypeOfC(name) &&
         !name.starts_with("CU") && !name.starts_with("cu") && !name.starts_with("__") &&
         !name.ends_with("_t") && name != "memset" &&
         !(name.size() > 1 && name[0] == '_' && llvm::isUpper(name[1]));
}

//===----------------------------------------------------------------------===//
// Names for C
//===----------------------------------------------------------------------===//

std::string aot::plainName(const KernelArgument &argument) {
  std::string name = argument.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::vector<std::string> aot::parameterNames(const KernelRecord &record, llvm::StringRef function) {
  llvm::StringSet<> taken;
  for (const KernelArgument &argument : record.arguments)
    taken.insert(argument.name);
  std::vector<std::string> names;
  for (auto [index, argument] : llvm::enumerate(record.arguments)) {
    std::string name = plainName(argument);
    bool isFree = (name == argument.name || taken.insert(name).second) &&
                  isFreeForParameter(name) &&
                  !llvm::StringRef(name).starts_with((function + "_").str());
    if (!isFree) {
      name = isIdentifier(name) ? "arg_" + name : "arg_" + std::to_string(index);
      while (!taken.insert(name).second)
        name += '_';
    }
    names.push_back(name);
  }
  return names;
}

std::string aot::freshName(llvm::StringRef wanted, llvm::ArrayRef<std::string> parameters) {
  std::string name = wanted.str();
  while (llvm::is_contained(parameters, name))
    name += '_';
  return name;
}

std::string aot::declarator(const KernelArgument &argument) {
  llvm::StringRef type = argument.type;
  if (!type.consume_front("*"))
    return scalarType(type).str() + " ";
  bool isConst = type.consume_front("k") || argument.isReadOnly;
  // The pointee of a pointer to pointers is left to the caller.
  llvm::StringRef element = type.starts_with("*") ? "void *" : scalarType(type);
  return (isConst ? "const " : "") + element.str() + " *";
}

std::string aot::describeArgument(const KernelArgument &argument) {
  llvm::StringRef type = argument.type;
  bool isPointer = type.consume_front("*");
  type.consume_front("k");
  llvm::SmallVector<std::string> facts;
  std::optional<DType> scalar = DType::parse(type);
  if (scalar && scalar->isFloat() && scalar->bits() < 32)
    facts.push_back("the bits of " + type.str());
  if (scalar && scalar->isBool())
    facts.push_back("0 or 1");
  if (argument.divisibility > 1)
    facts.push_back(isPointer ? llvm::formatv("aligned to {0} bytes", argument.divisibility).str()
                              : llvm::formatv("a multiple of {0}", argument.divisibility).str());
  return llvm::join(facts, ", ");
}

//===----------------------------------------------------------------------===//
// Texts for C
//===----------------------------------------------------------------------===//

std::string aot::comment(llvm::ArrayRef<std::string> lines) {
  std::string text = "/* ";
  for (auto [index, line] : llvm::enumerate(lines)) {
    std::string safe = inOneLine(line);
    // The end of the comment, and the begin of another one, which compilers warn of.
    for (llvm::StringRef mark : {"*/", "/*"})
      for (size_t at; (at = safe.find(mark)) != std::string::npos;)
        safe.insert(at + 1, " ");
    text += (index == 0 ? "" : safe.empty() ? "\n *" : "\n * ") + safe;
  }
  return text + " */\n";
}

std::string aot::inOneLine(llvm::StringRef text) {
  std::string safe = text.str();
  for (char &c : safe)
    c = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  // A backslash at a line's end would join it with the next one.
  return safe.ends_with("\\") ? safe + " " : safe;
}

llvm::Error aot::checkHeaderName(llvm::StringRef name) {
  bool isPlain = llvm::none_of(name, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '"' || c == '\\';
  });
  if (isPlain)
    return llvm::Error::success();
  return makeError("--out-path: '" + inOneLine(name) +
                   "' cannot stand in an #include of C; choose a name without quotes, backslashes "
                   "and control characters");
}

std::string aot::wrapLines(llvm::StringRef text) {
  constexpr size_t limit = 100;
  std::string result;
  for (llvm::StringRef line : llvm::split(text.drop_back(text.ends_with("\n")), '\n')) {
    bool isCode = !line.starts_with("#") && !line.starts_with("/") && !line.starts_with(" *");
    std::string indent(
        line.find_first_not_of(' ') == llvm::StringRef::npos ? 0 : line.find_first_not_of(' ') + 4,
        ' ');
    while (isCode && line.size() > limit) {
      size_t comma = line.take_front(limit).rfind(", ");
      if (comma == llvm::StringRef::npos)
        break;
      result += (line.take_front(comma + 1) + "\n" + indent).str();
      line = line.drop_front(comma + 2);
    }
    result += (line + "\n").str();
  }
  return result;
}
