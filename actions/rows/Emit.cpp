// Writes the way for rows that allow it: see RowKernel.h.
#include "actions/engine/Launches.h"
#include "actions/engine/Tokens.h"
#include "actions/rows/RowKernel.h"

using namespace clang;
using namespace kcheck;

namespace {

class RowWriter {
public:
  RowWriter(const ActionContext &Ctx, const RowKernel &R, const RowShape &S) : Ctx(Ctx), R(R), S(S) {}

  std::string run() {
    std::string Shared;
    std::vector<Edit> Moved;
    for (const DeclStmt *D : R.Shared) {
      Shared += Ctx.text(static_cast<const Stmt *>(D)) + "\n";
      auto Bytes = withLine(Ctx.Text, Ctx.bytes(D));
      Moved.push_back(Ctx.replace({Bytes.first, std::min(Bytes.second, R.Region.second)}, ""));
    }
    std::vector<Edit> Passes = Moved;
    for (const RowPass &P : R.Passes)
      Passes.push_back(Ctx.replace(P.Bytes, lineBreak(P) + StringRef(pass(P)).rtrim().str()));
    return Shared + "if (" + condition() + ") {\n" + copies() + Ctx.text(R.Region, std::move(Passes)) + "\n} else {\n" + Ctx.text(R.Region, std::move(Moved)) + "\n}";
  }

private:
  /// A pragma wants a line of its own.
  std::string lineBreak(const RowPass &P) const {
    StringRef Line = Ctx.Text.take_front(P.Bytes.first);
    return Line.substr(Line.rfind('\n') + 1).trim().empty() ? "" : "\n";
  }
  bool wide() const { return S.Width > 1; }
  bool vector(const RowBuffer &B) const { return wide() && B.WhyNot.empty() && !B.Vector.empty(); }
  bool kept(const RowBuffer &B) const { return S.keeps() && R.staged(B); }
  std::string width() const { return std::to_string(S.Width); }
  std::string copy(const RowBuffer &B) const { return B.Name + "Row"; }
  static std::string counter(const RowPass &P) { return P.Counter->getNameAsString(); }
  std::string type(const RowPass &P) const {
    PrintingPolicy Policy(Ctx.LO);
    return P.Counter->getType().getUnqualifiedType().getAsString(Policy);
  }

  std::string condition() const {
    std::string C, Low;
    auto And = [&](const std::string &X) { C += (C.empty() ? "" : " && ") + X; };
    if (wide() && !R.Global)
      And(asOperand(R.High) + " % " + width() + " == 0");
    if (S.Items)
      And(asOperand(R.High) + " <= " + std::to_string(S.Items * S.Width) + " * " + asOperand(R.Step));
    if (S.Shared)
      And(asOperand(R.High) + " <= " + std::to_string(S.Shared));
    unsigned Many = 0, Align = 0;
    for (const RowBuffer &B : R.Buffers)
      if (vector(B)) {
        Low += (Many++ ? " | " : "") + ("reinterpret_cast<size_t>(&" + B.First + ")");
        Align = std::max(Align, B.Bytes * S.Width);
      }
    if (Many)
      And((Many > 1 ? "(" + Low + ")" : Low) + " % " + std::to_string(Align) + " == 0");
    return C;
  }

  /// How a thread comes to its elements: the loop's or item's head, and what closes it.
  std::pair<std::string, std::string> around(const RowPass &P) const {
    std::string C = counter(P), T = type(P), Step = asOperand(R.Step);
    if (S.Items) {
      std::string At = "item * " + Step + " + " + R.Start;
      return {"#pragma unroll\nfor (int item = 0; item < " + std::to_string(S.Items) + "; ++item) {\nconst " + T + " " + C + " = " + (wide() ? "(" + At + ") * " + width() : At) + ";\nif (" + C + " < " + R.High + ") {\n",
              "}\n}\n"};
    }
    std::string Last = R.Global && wide() ? C + " + " + std::to_string(S.Width - 1) : C;
    return {"for (" + T + " " + C + " = " + asOperand(R.Start) + (wide() ? " * " + width() : "") + "; " + Last + " < " + R.High + "; " + C + " += " + Step + (wide() ? " * " + width() : "") + ") {\n", "}\n"};
  }

  /// Address of the access that begins at the counter.
  std::string address(const RowBuffer &B, const std::string &C) const {
    // "in[0]" with the counter in the place of the zero that stands for it
    return "&" + places(B, C);
  }
  std::string places(const RowBuffer &B, const std::string &C) const {
    for (const RowPass &P : R.Passes)
      for (const RowPlace &X : P.Places)
        if (&R.Buffers[X.Buffer] == &B) {
          const Expr *E = X.Whole;
          if (const auto *Call = dyn_cast<CallExpr>(E))
            E = cast<UnaryOperator>(Call->getArg(0)->IgnoreParenImpCasts())->getSubExpr()->IgnoreParens();
          std::vector<Edit> Inner;
          forEachStmt(E, [&](const Stmt *Y) {
            if (const auto *D = dyn_cast<DeclRefExpr>(Y); D && D->getDecl() == P.Counter)
              Inner.push_back(Ctx.replace(D->getSourceRange(), C));
          });
          return Ctx.text({Ctx.offset(E->getBeginLoc()), Ctx.endOffset(E->getEndLoc())}, std::move(Inner));
        }
    return B.First;
  }

  bool half(const RowBuffer &B) const { return B.Bytes == 2; }

  /// Reads one access of B into To, an array of Width elements, as lines.
  std::string load(const RowBuffer &B, const std::string &To, const std::string &C) const {
    if (half(B))
      return "*reinterpret_cast<uint2 *>(" + To + ") = *reinterpret_cast<const uint2 *>(" + address(B, C) + ");\n";
    std::string T = "const " + B.Vector + " " + B.Name + "Quad = *reinterpret_cast<const " + B.Vector + " *>(" + address(B, C) + ");\n";
    for (unsigned I = 0; I < S.Width; ++I)
      T += To + "[" + std::to_string(I) + "] = " + B.Name + "Quad." + "xyzw"[I] + ";\n";
    return T;
  }
  std::string store(const RowBuffer &B, const std::string &From, const std::string &C) const {
    if (half(B))
      return "*reinterpret_cast<uint2 *>(" + address(B, C) + ") = *reinterpret_cast<const uint2 *>(" + From + ");\n";
    std::string T = "*reinterpret_cast<" + B.Vector + " *>(" + address(B, C) + ") = make_" + B.Vector + "(";
    for (unsigned I = 0; I < S.Width; ++I)
      T += (I ? ", " : "") + From + "[" + std::to_string(I) + "]";
    return T + ");\n";
  }

  /// Where the kept element is that belongs to the counter, or the array of an access.
  std::string keptAccess(const RowBuffer &B) const { return copy(B) + "[item]"; }
  std::string keptElement(const RowBuffer &B, const std::string &C) const {
    if (S.Items)
      return copy(B) + "[item]" + (wide() ? "[part]" : "");
    return copy(B) + "[" + C + (wide() ? " + part" : "") + "]";
  }
  std::string aligned(const RowBuffer &B) const { return half(B) && wide() ? "__align__(8) " : ""; }

  /// The copies' declarations, and the rows that are read into them.
  std::string copies() const {
    std::string T;
    bool Fill = false;
    for (const RowBuffer &B : R.Buffers)
      if (kept(B)) {
        T += S.Items ? aligned(B) + B.Type + " " + copy(B) + "[" + std::to_string(S.Items) + "]" + (wide() ? "[" + width() + "]" : "") + ";\n"
                     : "__shared__ " + std::string(wide() ? "__align__(16) " : "") + B.Type + " " + copy(B) + "[" + std::to_string(S.Shared) + "];\n";
        Fill |= B.ReadFirst;
      }
    if (!Fill)
      return T;
    const RowPass &P = R.Passes.front();
    auto [Head, Tail] = around(P);
    T += Head;
    for (const RowBuffer &B : R.Buffers)
      if (kept(B) && B.ReadFirst)
        T += fill(B, counter(P));
    return T + Tail;
  }
  std::string fill(const RowBuffer &B, const std::string &C) const {
    if (vector(B)) {
      if (S.Items)
        return load(B, keptAccess(B), C);
      return "*reinterpret_cast<" + B.Vector + " *>(&" + copy(B) + "[" + C + "]) = *reinterpret_cast<const " + B.Vector + " *>(" + address(B, C) + ");\n";
    }
    if (wide()) {
      std::string Moved = places(B, "(" + C + " + part)");
      return "#pragma unroll\nfor (int part = 0; part < " + width() + "; ++part)\n" + keptElement(B, C) + " = " + Moved + ";\n";
    }
    return keptElement(B, C) + " = " + places(B, C) + ";\n";
  }

  /// Is P the last pass that stores B? Only its values are seen.
  bool lastStore(const RowPass &P, size_t B) const {
    const RowPass *Last = nullptr;
    for (const RowPass &Q : R.Passes)
      for (const RowPlace &X : Q.Places)
        if (X.Buffer == B && X.Written)
          Last = &Q;
    return Last == &P;
  }

  std::string pass(const RowPass &P) const {
    std::string C = counter(P), Before, After;
    std::vector<Edit> Inner;
    for (size_t I = 0; I < R.Buffers.size(); ++I) {
      const RowBuffer &B = R.Buffers[I];
      bool Written = false, First = true, ReadFirst = false;
      for (const RowPlace &X : P.Places)
        if (X.Buffer == I) {
          ReadFirst |= X.Read; // the places of `x[i] = f(x[i])` begin with the store
          First = false;
          Written |= X.Written;
        }
      if (First)
        continue;
      std::string Element;
      if (kept(B)) {
        Element = keptElement(B, C);
        if (Written && lastStore(P, I)) {
          if (vector(B) && S.Items)
            After += store(B, keptAccess(B), C);
          else if (vector(B))
            After += "*reinterpret_cast<" + B.Vector + " *>(" + address(B, C) + ") = *reinterpret_cast<const " + B.Vector + " *>(&" + copy(B) + "[" + C + "]);\n";
          else if (wide())
            After += "#pragma unroll\nfor (int part = 0; part < " + width() + "; ++part)\n" + places(B, "(" + C + " + part)") + " = " + Element + ";\n";
          else
            After += places(B, C) + " = " + Element + ";\n";
        }
      } else if (vector(B)) {
        Element = B.Name + "Part[part]";
        Before += (half(B) ? "__align__(8) " : "") + B.Type + " " + B.Name + "Part[" + width() + "];\n";
        if (ReadFirst)
          Before += load(B, B.Name + "Part", C);
        if (Written)
          After += store(B, B.Name + "Part", C);
      } else if (wide()) {
        for (const RowPlace &X : P.Places)
          if (X.Buffer == I)
            forEachStmt(X.Whole, [&](const Stmt *Y) {
              if (const auto *D = dyn_cast<DeclRefExpr>(Y); D && D->getDecl() == P.Counter)
                Inner.push_back(Ctx.replace(D->getSourceRange(), "(" + C + " + part)"));
            });
        continue;
      } else {
        continue;
      }
      for (const RowPlace &X : P.Places)
        if (X.Buffer == I)
          Inner.push_back(Ctx.replace(X.Whole->getSourceRange(), Element));
    }
    if (wide())
      for (const DeclRefExpr *D : P.Counts)
        Inner.push_back(Ctx.replace(D->getSourceRange(), "(" + C + " + part)"));
    std::string Body = StringRef(Ctx.text(P.Body, std::move(Inner))).trim().str() + "\n";
    if (wide())
      Body = "#pragma unroll\nfor (int part = 0; part < " + width() + "; ++part) {\n" + Body + "}\n";
    auto [Head, Tail] = around(P);
    std::string T = Head + Before + Body + After + Tail;
    if (R.Global && wide()) { // what is left behind the last whole vector
      std::string Rest = asOperand(R.High) + " / " + width() + " * " + width();
      T += "for (" + type(P) + " " + C + " = " + Rest + " + " + asOperand(R.Start) + "; " + C + " < " + R.High + "; " + C + " += " + asOperand(R.Step) + ") {\n" +
           Ctx.Text.slice(P.Body.first, P.Body.second).trim().str() + "\n}\n";
    }
    return T;
  }

  const ActionContext &Ctx;
  const RowKernel &R;
  const RowShape &S;
};

} // namespace

std::string kcheck::emitRows(const ActionContext &Ctx, const RowKernel &R, const RowShape &Shape) {
  if (Shape.plain())
    return Ctx.Text.slice(R.Region.first, R.Region.second).str();
  return RowWriter(Ctx, R, Shape).run();
}
