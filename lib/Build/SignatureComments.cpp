//===- SignatureComments.cpp - the signatures that a file proposes --------===//
#include "tessera/Build/SignatureComments.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;

std::vector<SignatureComment> tessera::readSignatureComments(llvm::StringRef text) {
  std::vector<SignatureComment> found, waiting;
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    if (line.consume_front("# signature:")) {
      llvm::SmallVector<llvm::StringRef> words;
      line.split(words, ' ', -1, /*KeepEmpty=*/false);
      if (words.empty())
        continue;
      SignatureComment &comment = waiting.emplace_back();
      comment.signature = words[0].str();
      for (llvm::StringRef word : llvm::drop_begin(words))
        comment.flags.push_back(word.trim().str());
    } else if (line.consume_front("def ")) {
      llvm::StringRef name = line.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
      for (SignatureComment &comment : waiting) {
        comment.kernel = name.str();
        found.push_back(std::move(comment));
      }
      waiting.clear();
    }
  }
  return found;
}

llvm::Error tessera::applyFlags(const SignatureComment &comment, CompileOptions &options) {
  auto fail = [&](const llvm::Twine &what) {
    return makeError("the comment '# signature:' of '" + comment.kernel + "': " + what);
  };
  for (size_t i = 0; i < comment.flags.size(); ++i) {
    llvm::StringRef flag = comment.flags[i];
    if (!flag.consume_front("--"))
      return fail("'" + flag + "' is no option");
    auto [name, value] = flag.split('=');
    bool hasNext =
        i + 1 < comment.flags.size() && !llvm::StringRef(comment.flags[i + 1]).starts_with("--");
    std::string text = flag.contains('=') ? value.str() : hasNext ? comment.flags[++i] : "true";
    if (llvm::Error error = setOption(options, name, text))
      return fail("--" + llvm::toString(std::move(error)));
  }
  if (llvm::Error error = checkOptions(options))
    return fail("--" + llvm::toString(std::move(error)));
  return llvm::Error::success();
}
