//===- Stepper.cpp - walking through the passes, command by command -------===//
#include "tessera/Explain/Stepper.h"
#include "IRLine.h"
#include "Print.h"
#include "TextDiff.h"
#include "tessera/Source/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;

static constexpr llvm::StringLiteral kHelp =
    "  n, next        the next pass that changes something; an empty line does it again\n"
    "  b, back        the one before\n"
    "  e, each        the next pass, whether it changes something or not\n"
    "  g, go NAME     to a pass: its number, its name or a part of it\n"
    "  f, find TEXT   where TEXT occurs in the IR here, and the next pass that adds or removes it\n"
    "  s, show [N]    the IR after this pass; with N, the ops of line N of the Python file\n"
    "  d, diff        what this pass changed; 'diff all' folds nothing\n"
    "  r, remarks     what this pass decided, and why\n"
    "  l, list        all passes\n"
    "  h, help        this text\n"
    "  q, quit\n";

std::string Stepper::prompt() const {
  size_t count = explanation.trace.steps.size();
  if (count == 0)
    return "(no passes) ";
  return "(" + std::to_string(at + 1) + "/" + std::to_string(count) + " " +
         escapeUnprintable(explanation.trace.steps[at].name) + ") ";
}

std::string Stepper::greeting() const {
  return explanation.title() + ": " + counted(explanation.trace.steps.size(), "step") +
         "; 'next' goes to the first pass that changes something, 'help' lists the commands\n";
}

std::string Stepper::here() const {
  constexpr size_t most = 40;
  std::string text = showStep(explanation, at, screen, DiffView());
  size_t end = 0, lines = 0;
  for (; lines < most && end < text.size(); ++lines)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  size_t more = llvm::count(llvm::StringRef(text).substr(end), '\n');
  if (more <= 1)
    return text;
  return text.substr(0, end) + "... " + counted(more, "line") + " more: 'diff'\n";
}

std::string Stepper::move(int direction, bool each) {
  const std::vector<PassStep> &steps = explanation.trace.steps;
  for (size_t to = at + direction; to < steps.size(); to += direction) // 0 - 1 is large
    if (each || steps[to].changed || steps[to].failed || to == 0) {
      at = to;
      return here();
    }
  return direction > 0 ? "there is no further pass that changes something\n"
                       : "this is the first\n";
}

std::string Stepper::goTo(llvm::StringRef where) {
  size_t number = 0;
  if (!where.getAsInteger(10, number)) {
    if (number < 1 || number > explanation.trace.steps.size())
      return "there are steps 1 to " + std::to_string(explanation.trace.steps.size()) + "\n";
    at = number - 1;
    return here();
  }
  std::vector<size_t> found = findSteps(explanation, where);
  if (where.empty() || found.empty())
    return "no pass has '" + escapeUnprintable(where) + "' in its name; 'list' shows all\n";
  // If several match, go to the next one.
  auto next = llvm::find_if(found, [&](size_t step) { return step > at; });
  at = next == found.end() ? found.front() : *next;
  return here();
}

/// How often a text occurs in a program.
static size_t countIn(const PassTrace &trace, size_t text, llvm::StringRef what) {
  return text == kNoText ? 0 : llvm::StringRef(trace.texts[text].text).count(what);
}

std::string Stepper::find(llvm::StringRef text) {
  if (text.empty())
    return "find what? 'find tt.load'\n";
  const PassTrace &trace = explanation.trace;
  std::string out;
  size_t current = trace.steps[at].after;
  if (current != kNoText) {
    const ProgramText &program = trace.texts[current];
    IRLinePrinter printer(screen);
    size_t number = 0;
    for (llvm::StringRef line : splitLines(program.text)) {
      LinePlace place = number < program.places.size() ? program.places[number] : LinePlace();
      ++number;
      if (line.contains(text))
        printer.append(out, " ", place, line);
    }
  }
  if (out.empty())
    out = "'" + escapeUnprintable(text) + "' does not occur here\n";
  for (size_t i = at + 1; i < trace.steps.size(); ++i) {
    size_t before = countIn(trace, trace.steps[i].before, text),
           after = countIn(trace, trace.steps[i].after, text);
    if (before != after)
      return out + "step " + std::to_string(i + 1) + ", " + escapeUnprintable(trace.steps[i].name) +
             ", is the next to change it: " + std::to_string(before) + " -> " +
             std::to_string(after) + "\n";
  }
  return out + "no later pass adds or removes it\n";
}

std::string Stepper::show(llvm::StringRef what) {
  size_t text = explanation.trace.steps[at].after;
  if (text == kNoText)
    return "there is no text here\n";
  unsigned line = 0;
  if (what.empty())
    return showText(explanation, text, screen);
  if (what.getAsInteger(10, line) || line == 0)
    return "show takes the number of a line of Python\n";
  std::string shown = showText(explanation, text, screen, line);
  return shown.empty() ? "no op comes from line " + std::to_string(line) + "\n" : shown;
}

std::string Stepper::list() const {
  std::string out;
  for (size_t i = 0; i < explanation.trace.steps.size(); ++i) {
    const PassStep &step = explanation.trace.steps[i];
    std::string line = right(std::to_string(i + 1), 4) + (i == at ? " > " : "   ") +
                       (step.failed    ? "x "
                        : step.changed ? "* "
                                       : ". ") +
                       escapeUnprintable(step.name);
    out += paint(screen, step.changed ? llvm::StringRef() : screen.colors.dim,
                 left(line, 46) + step.stage) +
           "\n";
  }
  return out;
}

std::string Stepper::run(llvm::StringRef command, llvm::StringRef argument) {
  auto is = [&](llvm::StringRef name) {
    return command == name || (command.size() == 1 && name.starts_with(command));
  };
  if (is("quit") || command == "exit") {
    done = true;
    return "";
  }
  if (is("help") || command == "?")
    return kHelp.str();
  if (explanation.trace.steps.empty())
    return "the compilation ended before the first pass\n";
  if (is("next"))
    return move(1, /*each=*/false);
  if (is("back"))
    return move(-1, /*each=*/false);
  if (is("each"))
    return move(1, /*each=*/true);
  if (is("go"))
    return goTo(argument);
  if (is("find"))
    return find(argument);
  if (is("show"))
    return show(argument);
  if (is("list"))
    return list();
  if (is("diff")) {
    DiffView view;
    view.whole = argument == "all";
    return showStep(explanation, at, screen, view);
  }
  if (is("remarks")) {
    std::string out;
    for (const Diagnostic &remark : explanation.trace.steps[at].remarks)
      appendFolded(out, screen, 2,
                   (remark.range.isValid() ? std::to_string(remark.range.begin.line) + ": " : "") +
                       escapeUnprintable(describeRemark(remark)));
    return out.empty() ? "this pass says nothing\n" : out;
  }
  return "'" + escapeUnprintable(command) + "' is no command; 'help' lists them\n";
}

std::string Stepper::answer(llvm::StringRef line) {
  line = line.trim();
  if (line.empty())
    line = last;
  std::string text = line.str(); // `last` may change below
  auto [command, argument] = llvm::StringRef(text).split(' ');
  std::string out = run(command, argument.trim());
  last = text;
  return out;
}
