//===- DiagnosticBridge.cpp - MLIR's diagnostics become ours --------------===//
#include "DiagnosticBridge.h"
#include "tessera/Support/Unsupported.h"
#include "mlir/IR/Location.h"

using namespace tessera;

mlir::FileLineColLoc tessera::findPlace(mlir::Location location) {
  if (auto place = llvm::dyn_cast<mlir::FileLineColLoc>(location))
    return place;
  if (auto named = llvm::dyn_cast<mlir::NameLoc>(location))
    return findPlace(named.getChildLoc());
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location))
    return findPlace(call.getCallee());
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location))
    for (mlir::Location part : fused.getLocations())
      if (mlir::FileLineColLoc place = findPlace(part))
        return place;
  return {};
}

/// The folder in the locations of tl.sum and the like, which are Python files in this library.
static constexpr llvm::StringLiteral kStdlibFolder = "tessera/stdlib/";

bool tessera::isStdlib(llvm::StringRef path) { return path.starts_with(kStdlibFolder); }

llvm::SmallVector<mlir::FileLineColLoc> tessera::findUserPlaces(mlir::Location location) {
  llvm::SmallVector<mlir::FileLineColLoc> places{findPlace(location)};
  while (true) {
    if (auto named = llvm::dyn_cast<mlir::NameLoc>(location)) {
      location = named.getChildLoc();
      continue;
    }
    auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location);
    if (!call)
      break;
    location = call.getCaller();
    places.push_back(findPlace(location));
  }
  llvm::erase_if(places, [](mlir::FileLineColLoc place) { return !place; });
  auto isUsers = [](mlir::FileLineColLoc place) { return !isStdlib(place.getFilename()); };
  if (llvm::any_of(places, isUsers))
    places.erase(places.begin(), llvm::find_if(places, isUsers));
  return places;
}

DiagnosticBridge::DiagnosticBridge(mlir::MLIRContext &context, DiagnosticEngine &diagnostics,
                                   const SourceFile *file)
    : DiagnosticBridge(context, diagnostics, file ? file->path() : "",
                       [file](llvm::StringRef path, unsigned) {
                         return file && path == file->path() ? file : nullptr;
                       }) {}

DiagnosticBridge::DiagnosticBridge(mlir::MLIRContext &context, DiagnosticEngine &diagnostics,
                                   std::string path, FileFinder finder)
    : context(context), diagnostics(diagnostics), path(std::move(path)), finder(std::move(finder)) {
  handler = context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
    report(diagnostic);
    return llvm::success();
  });
}

DiagnosticBridge::~DiagnosticBridge() { context.getDiagEngine().eraseHandler(handler); }

void DiagnosticBridge::report(mlir::Diagnostic &diagnostic) {
  bool isWarning = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning;
  if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error && !isWarning)
    return;
  std::string text = diagnostic.str();
  llvm::StringRef message = text;
  DiagnosticKind kind = isWarning ? DiagnosticKind::Warning : kindOfErrors;
  if (message.consume_front(kUnsupportedPrefix))
    kind = DiagnosticKind::Unsupported;
  else if (message.consume_front(kProgramErrorPrefix))
    kind = DiagnosticKind::Error;
  Diagnostic made = at(kind, diagnostic.getLocation(), message.str());
  for (const mlir::DiagnosticArgument &argument : diagnostic.getMetadata()) {
    if (argument.getKind() == mlir::DiagnosticArgument::DiagnosticArgumentKind::String)
      made.code = argument.getAsString().str();
    else if (argument.getKind() == mlir::DiagnosticArgument::DiagnosticArgumentKind::Unsigned)
      (made.needed ? made.limit : made.needed) = argument.getAsUnsigned();
  }
  diagnostics.report(std::move(made));
  // In a function that was inlined, the standard library's say: who called it?
  mlir::Location location = diagnostic.getLocation();
  while (auto name = llvm::dyn_cast<mlir::NameLoc>(location))
    location = name.getChildLoc();
  while (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    location = call.getCaller();
    add(DiagnosticKind::Note, location, "called from here");
  }
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    std::string noteText = note.str();
    // MLIR attaches the whole op to verifier errors; for a user of Python that is noise.
    if (!llvm::StringRef(noteText).starts_with("see current operation"))
      add(DiagnosticKind::Note, note.getLocation(), noteText);
  }
}

Diagnostic DiagnosticBridge::at(DiagnosticKind kind, mlir::Location location,
                                std::string message) const {
  Diagnostic diagnostic;
  diagnostic.kind = kind;
  diagnostic.message = std::move(message);
  mlir::FileLineColLoc place = findPlace(location);
  if (!place) {
    diagnostic.path = path;
    return diagnostic;
  }
  SourceLoc begin{place.getLine(), place.getColumn() ? place.getColumn() - 1 : 0};
  diagnostic.path = place.getFilename().str();
  diagnostic.range = {begin, begin};
  diagnostic.column = begin.column + 1;
  if (const SourceFile *file = finder(diagnostic.path, begin.line)) {
    diagnostic.column = file->displayColumn(begin);
    diagnostic.excerpt = makeExcerpt(*file, diagnostic.range);
  }
  return diagnostic;
}

void DiagnosticBridge::add(DiagnosticKind kind, mlir::Location location, std::string message) {
  diagnostics.report(at(kind, location, std::move(message)));
}
