//===- SignatureComments.cpp - the signatures that a file proposes --------===//
#include "SignatureComments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera::cli;

std::vector<SignatureComment> tessera::cli::readSignatureComments(llvm::StringRef text) {
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
