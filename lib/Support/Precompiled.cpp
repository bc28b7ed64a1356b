//===- Precompiled.cpp - owns the precompiled header ----------------------===//
// Nothing but the translation unit that CMake builds the header with.
//===----------------------------------------------------------------------===//
