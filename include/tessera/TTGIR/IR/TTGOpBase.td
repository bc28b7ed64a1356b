//===- TTGOpBase.td - what every ttg op definition includes ----*- tablegen -*-//
#ifndef TESSERA_TTGIR_TTGOPBASE_TD
#define TESSERA_TTGIR_TTGOPBASE_TD

include "tessera/TTGIR/IR/TTGAttrs.td"
include "tessera/TTGIR/IR/TTGDialect.td"
include "tessera/TTGIR/IR/TTGTypes.td"
include "tessera/TTIR/IR/TTOpBase.td"

// The memory that local loads and stores access.
def SharedMemory : Resource<"::tessera::ttg::SharedMemory">;

class TTG_Op<string mnemonic, list<Trait> traits = []>
    : Op<TTG_Dialect, mnemonic, !listconcat([TensorSize, VerifyTensorLayouts], traits)>;

#endif // TESSERA_TTGIR_TTGOPBASE_TD
