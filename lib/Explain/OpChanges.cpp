//===- OpChanges.cpp - which ops a program gained and lost ----------------===//
#include "OpChanges.h"
#include "Print.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>

using namespace tessera;

unsigned tessera::totalOf(const OpCounts &ops) {
  unsigned total = 0;
  for (const auto &[name, count] : ops)
    total += count;
  return total;
}

std::string tessera::change(unsigned before, unsigned after) {
  return before == after ? std::to_string(after)
                         : std::to_string(before) + " -> " + std::to_string(after);
}

std::vector<std::string> tessera::describeOps(const OpCounts &before, const OpCounts &after) {
  std::vector<std::pair<int, std::string>> changes;
  OpCounts names = before;
  names.insert(after.begin(), after.end());
  for (const auto &entry : names) {
    auto countIn = [&](const OpCounts &ops) {
      auto found = ops.find(entry.first);
      return found == ops.end() ? 0 : int(found->second);
    };
    if (int difference = countIn(after) - countIn(before))
      changes.emplace_back(difference, entry.first);
  }
  llvm::sort(changes, [](const auto &a, const auto &b) {
    return std::make_pair(-std::abs(a.first), a.second) <
           std::make_pair(-std::abs(b.first), b.second);
  });
  std::vector<std::string> texts;
  for (const auto &[difference, name] : changes)
    texts.push_back((difference > 0 ? "+" : "") + std::to_string(difference) + " " + name);
  return texts;
}

std::string tessera::joinParts(llvm::ArrayRef<std::string> parts, unsigned width) {
  std::string text;
  for (const std::string &part : parts) {
    bool isLast = &part == &parts.back();
    unsigned needed = columnsOf(text) + columnsOf(part) + (text.empty() ? 0 : 2) + (isLast ? 0 : 3);
    if (needed > width)
      return text.empty() ? fit(part, width) : text + " ..";
    text += (text.empty() ? "" : "  ") + part;
  }
  return text;
}
