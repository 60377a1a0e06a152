#include "actions/contraction/Contraction.h"
#include "actions/engine/Launches.h"
#include "llvm/Support/FormatVariadic.h"

using namespace clang;
using namespace kcheck;

llvm::ArrayRef<StringRef> kcheck::tileNames() {
  static const StringRef Names[] = {"BM", "BN", "BK", "TM", "TN", "THREADS", "firstRow", "firstColumn", "lane", "slot", "tile", "step", "u", "v",
                                    "value", "quad", "whole", "part", "round", "fetch", "stage", "buffer", "to"};
  return Names;
}

std::string kcheck::operandHole(size_t I) { return "\x01" + std::to_string(I) + "\x01"; }

unsigned Contraction::sharedBytes() const {
  unsigned Bytes = 0;
  for (const TileOperand &O : Operands)
    Bytes += O.Bytes * Shape.BK * ((O.OfRow ? Shape.BM : Shape.BN) + O.Pad) * (Shape.Double ? 2 : 1);
  return Bytes;
}

std::string Contraction::whyNot(const TileShape &S, const DeviceLimits &D) const {
  if (S.BM % S.TM || S.BN % S.TN)
    return "a thread's outputs do not divide the tile";
  if (S.threads() > D.ThreadsPerBlock || S.threads() < 32)
    return "a block would have " + std::to_string(S.threads()) + " threads";
  if (S.Async && D.Capability < 80)
    return "copies past the registers need sm_80 or newer";
  for (const TileOperand &O : Operands)
    if (S.Async && !O.Copyable)
      return "elements of " + O.Base + " cannot be copied past the registers: 4, 8 or 16 aligned bytes can";
  if (S.Quads && (S.BM % 4 || S.BN % 4 || S.BK % 4))
    return "the tile is no multiple of four";
  Contraction C = *this;
  C.Shape = S;
  if (C.sharedBytes() > D.StaticShared)
    return "the tiles would take " + std::to_string(C.sharedBytes()) + " bytes of shared memory";
  // accumulators, a row and a column of operands, the elements in flight, and addresses
  unsigned Registers = S.TM * S.TN + S.TM + S.TN + 30 + (S.Double && !S.Async ? (S.BM + S.BN) * S.BK / S.threads() : 0);
  if (Registers > D.RegistersPerThread || Registers * S.threads() > D.RegistersPerSM)
    return "a thread would need about " + std::to_string(Registers) + " registers";
  return {};
}

llvm::json::Object Contraction::effect(const TileShape &S, const DeviceLimits &D) const {
  Contraction C = *this;
  C.Shape = S;
  double Bytes = 0, SharedReads = 0;
  for (const TileOperand &O : Operands) {
    Bytes += double(O.Bytes) / (O.OfRow ? S.BN : S.BM);
    SharedReads += double(O.Bytes) / (O.OfRow ? S.TN : S.TM);
  }
  unsigned Registers = S.TM * S.TN + S.TM + S.TN + 30;
  return llvm::json::Object{{"threads", S.threads()},
                            {"shared_bytes", C.sharedBytes()},
                            {"global_bytes_per_term", Bytes},
                            {"shared_bytes_read_per_term", SharedReads},
                            {"registers_about", Registers},
                            {"occupancy_at_most", D.occupancy(S.threads(), C.sharedBytes(), Registers)}};
}

namespace {

/// Writes one body. Helper names carry the suffix.
class Emitter {
public:
  explicit Emitter(const Contraction &C) : C(C), S(C.Shape) {}

  std::string run() {
    for (const std::string &P : C.Preamble)
      line(P);
    constants();
    for (const TileOperand &O : C.Operands)
      line("__shared__ " + std::string(S.Quads ? "__align__(16) " : "") + O.Type + " " + tile(O) + (S.Double ? "[2]" : "") + "[" + n("BK") + "][" + extent(O) +
           (O.Pad ? " + " + std::to_string(O.Pad) : "") + "];");
    line("const int " + n("lane") + " = threadIdx.y * (" + n("BN") + " / " + n("TN") + ") + threadIdx.x;");
    line("const " + C.Row.Type + " " + n("firstRow") + " = blockIdx.y * " + n("BM") + ";");
    line("const " + C.Column.Type + " " + n("firstColumn") + " = blockIdx.x * " + n("BN") + ";");
    line(C.SumType + " " + sums() + "[" + n("TM") + "][" + n("TN") + "] = {};");
    S.Async ? copied() : S.Double ? doubled() : single();
    outputs();
    return std::move(Out);
  }

private:
  std::string n(StringRef Name) const { return (Name + C.Suffix).str(); }
  std::string tile(const TileOperand &O) const { return O.Base + "Tile" + C.Suffix; }
  std::string part(const TileOperand &O) const { return O.Base + "Part" + C.Suffix; }
  std::string next(const TileOperand &O) const { return O.Base + "Next" + C.Suffix; }
  std::string sums() const { return C.SumName + "Tile" + C.Suffix; }
  std::string extent(const TileOperand &O) const { return n(O.OfRow ? "BM" : "BN"); }
  const OutputIndex &index(const TileOperand &O) const { return O.OfRow ? C.Row : C.Column; }
  bool quads(const TileOperand &O) const { return S.Quads && O.Bytes == 4 && !(S.Async && (O.AlongSum || O.Pad % 4)) && (O.AlongSum || (O.AlongOutput && O.Needs.empty() && (index(O).Guard.empty() || !index(O).Bound.empty()))); }
  void line(const std::string &T) { Out += T + "\n"; }

  static std::string zero(const std::string &Type) {
    if (Type == "float")
      return "0.0f";
    if (Type == "double")
      return "0.0";
    return Type == "int" || Type == "unsigned int" || Type == "long" || Type == "short" ? "0" : Type + "(0.0f)";
  }
  static std::string quadType(const std::string &Type) { return Type == "unsigned int" ? "uint4" : Type + "4"; }

  void constants() {
    line("// BM x BN outputs a block, BK terms a slice; TM x TN outputs a thread");
    line("constexpr int " + n("BM") + " = " + std::to_string(S.BM) + ", " + n("BN") + " = " + std::to_string(S.BN) + ", " + n("BK") + " = " + std::to_string(S.BK) + ";");
    line("constexpr int " + n("TM") + " = " + std::to_string(S.TM) + ", " + n("TN") + " = " + std::to_string(S.TN) + ";");
    line("constexpr int " + n("THREADS") + " = (" + n("BM") + " / " + n("TM") + ") * (" + n("BN") + " / " + n("TN") + ");");
  }

  /// Elements of an operand's slice, in units of what one access moves.
  std::string slots(const TileOperand &O) const { return extent(O) + " * " + n("BK") + (quads(O) ? " / 4" : ""); }

  /// Declares the output index and the counter that belong to `slot`.
  void place(const TileOperand &O) {
    const OutputIndex &I = index(O);
    std::string First = n(O.OfRow ? "firstRow" : "firstColumn"), Slot = n("slot");
    bool Q = quads(O);
    if (O.AlongOutput) { // neighbours in memory are neighbours in the output
      std::string Width = extent(O);
      if (Q)
        Width = "(" + Width + " / 4)";
      line("const " + C.StepType + " " + C.StepName + " = " + n("tile") + " + " + Slot + " / " + Width + ";");
      line((Q ? "" : "const ") + I.Type + " " + I.Name + " = " + First + " + " + Slot + " % " + Width + (Q ? " * 4" : "") + ";");
    } else {
      std::string Width = n("BK");
      if (Q)
        Width = "(" + Width + " / 4)";
      line("const " + I.Type + " " + I.Name + " = " + First + " + " + Slot + " / " + Width + ";");
      line((Q ? "" : "const ") + C.StepType + " " + C.StepName + " = " + n("tile") + " + " + Slot + " % " + Width + (Q ? " * 4" : "") + ";");
    }
  }

  std::string stepGuard() const { return C.StepName + " < " + C.High; }
  static std::string both(const std::string &A, const std::string &B) { return A.empty() ? B : B.empty() ? A : A + " && " + B; }

  /// Fills `To` (one element, or four) from memory; zero where there is none.
  void load(const TileOperand &O, const std::string &To) {
    place(O);
    if (!quads(O)) {
      line("if (" + both(index(O).Guard, stepGuard()) + ") {");
      for (const std::string &D : O.Needs)
        line(D);
      line(To + " = " + O.Load + ";");
      line("}");
      return;
    }
    const OutputIndex &I = index(O);
    std::string Still = O.AlongSum ? I.Guard : stepGuard(), Moving = O.AlongSum ? stepGuard() : I.Guard;
    std::string Name = O.AlongSum ? C.StepName : I.Name, End = O.AlongSum ? C.High : I.Bound;
    if (!Still.empty())
      line("if (" + Still + ") {");
    if (O.AlongSum) // what the words rest on does not change with the counter
      for (const std::string &D : O.Needs)
        line(D);
    std::string Whole = "reinterpret_cast<size_t>(" + O.Address + ") % 16 == 0";
    line("if (" + both(End.empty() ? "" : Name + " + 3 < " + End, Whole) + ") {");
    line("const " + quadType(O.Type) + " " + n("whole") + " = *reinterpret_cast<const " + quadType(O.Type) + " *>(" + O.Address + ");");
    for (unsigned I4 = 0; I4 < 4; ++I4)
      line(To + "[" + std::to_string(I4) + "] = " + n("whole") + "." + "xyzw"[I4] + ";");
    line("} else {");
    line("#pragma unroll");
    line("for (int " + n("part") + " = 0; " + n("part") + " < 4; ++" + n("part") + ", ++" + Name + ")");
    line(std::string(Moving.empty() ? "" : "if (" + Moving + ")"));
    line(To + "[" + n("part") + "] = " + O.Load + ";");
    line("}");
    if (!Still.empty())
      line("}");
  }

  /// Puts `From` into the tile.
  void store(const TileOperand &O, const std::string &From) {
    std::string Array = tile(O) + (S.Double ? "[" + n("buffer") + "]" : ""), Slot = n("slot");
    if (!quads(O)) {
      if (O.AlongOutput)
        line(Array + "[" + Slot + " / " + extent(O) + "][" + Slot + " % " + extent(O) + "] = " + From + ";");
      else
        line(Array + "[" + Slot + " % " + n("BK") + "][" + Slot + " / " + n("BK") + "] = " + From + ";");
      return;
    }
    line("#pragma unroll");
    line("for (int " + n("part") + " = 0; " + n("part") + " < 4; ++" + n("part") + ")");
    std::string P = n("part"), Width = "(" + (O.AlongOutput ? extent(O) : n("BK")) + " / 4)";
    if (O.AlongOutput)
      line(Array + "[" + Slot + " / " + Width + "][" + Slot + " % " + Width + " * 4 + " + P + "] = " + From + "[" + P + "];");
    else
      line(Array + "[" + Slot + " % " + Width + " * 4 + " + P + "][" + Slot + " / " + Width + "] = " + From + "[" + P + "];");
  }

  void fresh(const TileOperand &O, const std::string &Name) {
    line(quads(O) ? O.Type + " " + Name + "[4] = {};" : O.Type + " " + Name + " = " + zero(O.Type) + ";");
  }

  void single() {
    line("for (" + C.StepType + " " + n("tile") + " = " + C.Low + "; " + n("tile") + " < " + C.High + "; " + n("tile") + " += " + n("BK") + ") {");
    for (const TileOperand &O : C.Operands) {
      std::string Slot = n("slot"), Name = n(quads(O) ? "quad" : "value");
      line("for (int " + Slot + " = " + n("lane") + "; " + Slot + " < " + slots(O) + "; " + Slot + " += " + n("THREADS") + ") {");
      fresh(O, Name);
      load(O, Name);
      store(O, Name);
      line("}");
    }
    line("__syncthreads();");
    multiply();
    line("__syncthreads();");
    line("}");
  }

  std::string rounds(const TileOperand &O) const { return "(" + slots(O) + " + " + n("THREADS") + " - 1) / " + n("THREADS"); }

  void eachRound(const TileOperand &O) {
    line("#pragma unroll");
    line("for (int " + n("round") + " = 0; " + n("round") + " < " + rounds(O) + "; ++" + n("round") + ") {");
    line("const int " + n("slot") + " = " + n("lane") + " + " + n("round") + " * " + n("THREADS") + ";");
    line("if (" + n("slot") + " < " + slots(O) + ") {");
  }

  void doubled() {
    for (const TileOperand &O : C.Operands)
      line(O.Type + " " + next(O) + "[" + rounds(O) + "]" + (quads(O) ? "[4]" : "") + ";");
    line("auto " + n("fetch") + " = [&](" + C.StepType + " " + n("tile") + ") {");
    for (const TileOperand &O : C.Operands) {
      std::string To = next(O) + "[" + n("round") + "]";
      eachRound(O);
      if (quads(O))
        for (unsigned I = 0; I < 4; ++I)
          line(To + "[" + std::to_string(I) + "] = " + zero(O.Type) + ";");
      else
        line(To + " = " + zero(O.Type) + ";");
      load(O, To);
      line("}");
      line("}");
    }
    line("};");
    line("auto " + n("stage") + " = [&](int " + n("buffer") + ") {");
    for (const TileOperand &O : C.Operands) {
      eachRound(O);
      store(O, next(O) + "[" + n("round") + "]");
      line("}");
      line("}");
    }
    line("};");
    line(n("fetch") + "(" + C.Low + ");");
    line(n("stage") + "(0);");
    line("__syncthreads();");
    line("int " + n("buffer") + " = 0;");
    line("for (" + C.StepType + " " + n("tile") + " = " + C.Low + "; " + n("tile") + " < " + C.High + "; " + n("tile") + " += " + n("BK") + ") {");
    std::string More = "if (" + n("tile") + " + " + n("BK") + " < " + C.High + ")";
    line(More);
    line(n("fetch") + "(" + n("tile") + " + " + n("BK") + ");");
    multiply();
    line(More);
    line(n("stage") + "(" + n("buffer") + " ^ 1);");
    line("__syncthreads();");
    line(n("buffer") + " ^= 1;");
    line("}");
  }

  /// Copies one element, or four, from memory to the tile; zeros where there is nothing.
  void copy(const TileOperand &O) {
    place(O);
    std::string Slot = n("slot"), To = tile(O) + "[" + n("buffer") + "]";
    auto Copy = [&](const std::string &Place, const std::string &Bytes) { line("__pipeline_memcpy_async(" + Place + ", " + O.Address + ", " + Bytes + ");"); };
    if (!quads(O)) {
      To += O.AlongOutput ? "[" + Slot + " / " + extent(O) + "][" + Slot + " % " + extent(O) + "]" : "[" + Slot + " % " + n("BK") + "][" + Slot + " / " + n("BK") + "]";
      line("if (" + both(index(O).Guard, stepGuard()) + ") {");
      for (const std::string &D : O.Needs)
        line(D);
      Copy("&" + To, "sizeof(" + O.Type + ")");
      line("} else {");
      line(To + " = " + zero(O.Type) + ";");
      line("}");
      return;
    }
    const OutputIndex &I = index(O);
    std::string Width = "(" + extent(O) + " / 4)";
    line(O.Type + " *" + n("to") + " = &" + To + "[" + Slot + " / " + Width + "][" + Slot + " % " + Width + " * 4];");
    line("if (" + both(stepGuard(), I.Bound.empty() ? "" : I.Name + " + 3 < " + I.Bound) + " && reinterpret_cast<size_t>(" + O.Address + ") % 16 == 0) {");
    Copy(n("to"), "16");
    line("} else {");
    line("#pragma unroll");
    line("for (int " + n("part") + " = 0; " + n("part") + " < 4; ++" + n("part") + ", ++" + I.Name + ")");
    line("if (" + both(stepGuard(), I.Guard) + ")");
    Copy(n("to") + " + " + n("part"), "sizeof(" + O.Type + ")");
    line("else");
    line(n("to") + "[" + n("part") + "] = " + zero(O.Type) + ";");
    line("}");
  }

  /// The next slice travels to the other half of shared memory by itself. The barrier says that what was copied has come
  /// for all threads, and that all are done with the half that is filled next.
  void copied() {
    line("auto " + n("fetch") + " = [&](" + C.StepType + " " + n("tile") + ", int " + n("buffer") + ") {");
    for (const TileOperand &O : C.Operands) {
      eachRound(O);
      copy(O);
      line("}");
      line("}");
    }
    line("__pipeline_commit();");
    line("};");
    line(n("fetch") + "(" + C.Low + ", 0);");
    line("int " + n("buffer") + " = 0;");
    line("for (" + C.StepType + " " + n("tile") + " = " + C.Low + "; " + n("tile") + " < " + C.High + "; " + n("tile") + " += " + n("BK") + ") {");
    line("__pipeline_wait_prior(0);");
    line("__syncthreads();");
    line("if (" + n("tile") + " + " + n("BK") + " < " + C.High + ")");
    line(n("fetch") + "(" + n("tile") + " + " + n("BK") + ", " + n("buffer") + " ^ 1);");
    multiply();
    line(n("buffer") + " ^= 1;");
    line("}");
  }

  bool wide(bool OfRow) const { return S.Quads && (OfRow ? S.TM : S.TN) % 4 == 0; }

  /// Position of a thread's output number N in the tile, as an expression.
  std::string position(bool OfRow, const std::string &N) const {
    std::string B = n(OfRow ? "BM" : "BN"), T = n(OfRow ? "TM" : "TN"), Thread = OfRow ? "threadIdx.y" : "threadIdx.x";
    if (wide(OfRow))
      return N + " / 4 * (" + B + " / " + T + " * 4) + " + Thread + " * 4 + " + N + " % 4";
    return N + " * (" + B + " / " + T + ") + " + Thread;
  }

  void parts(const TileOperand &O) {
    std::string T = n(O.OfRow ? "TM" : "TN"), B = extent(O), N = n(O.OfRow ? "u" : "v"), Thread = O.OfRow ? "threadIdx.y" : "threadIdx.x";
    std::string Array = tile(O) + (S.Double ? "[" + n("buffer") + "]" : "") + "[" + n("step") + "]";
    line(O.Type + " " + part(O) + "[" + T + "];");
    line("#pragma unroll");
    if (wide(O.OfRow) && O.Bytes == 4 && (B == n("BM") ? S.BM : S.BN) % 4 == 0 && O.Pad % 4 == 0) {
      line("for (int " + N + " = 0; " + N + " < " + T + "; " + N + " += 4) {");
      line("const " + quadType(O.Type) + " " + n("whole") + " = *reinterpret_cast<const " + quadType(O.Type) + " *>(&" + Array + "[" + N + " * (" + B + " / " + T + ") + " + Thread + " * 4]);");
      for (unsigned I = 0; I < 4; ++I)
        line(part(O) + "[" + N + (I ? " + " + std::to_string(I) : "") + "] = " + n("whole") + "." + "xyzw"[I] + ";");
      line("}");
      return;
    }
    line("for (int " + N + " = 0; " + N + " < " + T + "; ++" + N + ")");
    line(part(O) + "[" + N + "] = " + Array + "[" + position(O.OfRow, N) + "];");
  }

  std::string filled(StringRef Text) const {
    std::string R;
    for (size_t I = 0; I < Text.size(); ++I) {
      if (Text[I] == SumHole) {
        R += sums() + "[" + n("u") + "][" + n("v") + "]";
      } else if (Text[I] == '\x01') {
        size_t End = Text.find('\x01', I + 1), Number = 0;
        Text.slice(I + 1, End).getAsInteger(10, Number);
        const TileOperand &O = C.Operands[Number];
        R += part(O) + "[" + n(O.OfRow ? "u" : "v") + "]";
        I = End;
      } else {
        R += Text[I];
      }
    }
    return R;
  }

  void multiply() {
    line("#pragma unroll");
    line("for (int " + n("step") + " = 0; " + n("step") + " < " + n("BK") + "; ++" + n("step") + ") {");
    for (const TileOperand &O : C.Operands)
      parts(O);
    eachOutput("");
    for (const std::string &B : C.Body)
      line(filled(B));
    line("}");
    line("}");
    line("}");
  }

  /// Opens the two loops over a thread's outputs.
  void eachOutput(const std::string &Between) {
    line("#pragma unroll");
    line("for (int " + n("u") + " = 0; " + n("u") + " < " + n("TM") + "; ++" + n("u") + ") {");
    Out += Between;
    line("#pragma unroll");
    line("for (int " + n("v") + " = 0; " + n("v") + " < " + n("TN") + "; ++" + n("v") + ") {");
  }

  void outputs() {
    eachOutput("const " + C.Row.Type + " " + C.Row.Name + " = " + n("firstRow") + " + " + position(true, n("u")) + ";\n");
    line("const " + C.Column.Type + " " + C.Column.Name + " = " + n("firstColumn") + " + " + position(false, n("v")) + ";");
    std::string Guard = both(C.Row.Guard, C.Column.Guard);
    line(Guard.empty() ? "{" : "if (" + Guard + ") {");
    for (const std::string &D : C.PerOutput)
      line(D);
    std::string Sum = sums() + "[" + n("u") + "][" + n("v") + "]";
    line(C.SumType + " " + C.SumName + " = " + (C.SumInit.empty() ? Sum : C.SumInit + " + " + Sum) + ";");
    for (const std::string &E : C.Epilogue)
      line(E);
    line("}");
    line("}");
    line("}");
  }

  const Contraction &C;
  const TileShape &S;
  std::string Out;
};

} // namespace

/// Where an #include may stand: behind the last one that no condition holds.
static unsigned behindIncludes(StringRef Text) {
  unsigned At = 0, Depth = 0;
  for (size_t Line = 0; Line < Text.size();) {
    size_t End = std::min(Text.find('\n', Line), Text.size());
    StringRef L = Text.slice(Line, End).trim();
    if (L.consume_front("#")) {
      L = L.ltrim();
      Depth += L.starts_with("if");
      Depth -= L.starts_with("endif") && Depth;
      if (L.starts_with("include") && !Depth)
        At = unsigned(std::min(End + 1, Text.size()));
    }
    Line = End + 1;
  }
  return At;
}

std::string kcheck::emitBody(const Contraction &C) { return Emitter(C).run(); }

llvm::Expected<std::vector<Edit>> kcheck::emitContraction(const ActionContext &Ctx, const KernelView &K, const Contraction &C) {
  std::vector<Edit> Edits;
  Edits.push_back(Ctx.replaceBody(K.body(), emitBody(C)));
  const TileShape &S = C.Shape;
  if (S.Async && !Ctx.Text.contains("<cuda_pipeline"))
    Edits.push_back(Ctx.insert(behindIncludes(Ctx.Text), "#include <cuda_pipeline.h>\n"));
  // what an older __launch_bounds__ says no longer holds
  if (std::string Why = fitLaunchBounds(Ctx, K.Decl, int64_t(S.threads()), true, Edits); !Why.empty())
    return llvm::createStringError(Why);
  for (const LaunchSite &L : K.Launches) {
    DimText OldGrid = extentsOf(Ctx, L.Syntax.Grid), OldBlock = extentsOf(Ctx, L.Syntax.Block);
    auto Cover = [&](const OutputIndex &I, unsigned Axis, unsigned By, unsigned Old) {
      std::string Bound = I.BoundExpr ? atLaunch(Ctx, L, K.Decl, I.BoundExpr) : "";
      return ceilDivide(!Bound.empty() ? Bound : asOperand(OldGrid[Axis]) + " * " + (Old ? std::to_string(Old) : asOperand(OldBlock[Axis])), By);
    };
    DimText Grid{Cover(C.Column, 0, S.BN, C.OldColumns), Cover(C.Row, 1, S.BM, C.OldRows), OldGrid[2]};
    DimText Block{std::to_string(S.BN / S.TN), std::to_string(S.BM / S.TM), "1"};
    setLaunchSizes(Ctx, L, &Grid, &Block, Edits);
  }
  return Edits;
}
