#include "analyzers/engine/driver/BundledHeaders.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace kcheck;

static const BundledHeader Table[] = {
#include "analyzers/engine/headers.inc"
};

// The blob is assembled in: an array literal of megabytes would take the compiler seconds.
__asm__(".section .rodata.kcheck_headers,\"a\",@progbits\n"
        ".globl kcheck_headers_blob\n"
        ".balign 16\n"
        "kcheck_headers_blob:\n"
        ".incbin \"" KCHECK_HEADERS_BLOB "\"\n"
        ".byte 0\n"
        ".previous\n");
extern "C" const char kcheck_headers_blob[];

static llvm::StringRef textOf(const BundledHeader &H) { return {kcheck_headers_blob + H.Offset, H.Size}; }

llvm::ArrayRef<BundledHeader> kcheck::bundledHeaders() { return Table; }

static const BundledHeader *firstNotBefore(llvm::StringRef Path) {
  return std::lower_bound(std::begin(Table), std::end(Table), Path,
                          [](const BundledHeader &H, llvm::StringRef P) { return llvm::StringRef(H.Path) < P; });
}

std::optional<llvm::StringRef> kcheck::bundledHeader(llvm::StringRef Path) {
  const BundledHeader *H = firstNotBefore(Path);
  if (H == std::end(Table) || Path != H->Path)
    return std::nullopt;
  return textOf(*H);
}

bool kcheck::isBundledFolder(llvm::StringRef Path) {
  Path = Path.rtrim('/');
  if (Path.empty())
    return true;
  std::string Folder = (Path + "/").str();
  const BundledHeader *H = firstNotBefore(Folder);
  return H != std::end(Table) && llvm::StringRef(H->Path).starts_with(Folder);
}

bool kcheck::includesTorch(llvm::StringRef Text) {
  for (llvm::StringRef L : llvm::split(Text, '\n')) {
    L = L.ltrim();
    if (!L.consume_front("#") || !(L = L.ltrim()).consume_front("include") || !((L = L.ltrim()).consume_front("<") || L.consume_front("\"")))
      continue;
    if (bundledHeader((TorchStandIns + L.take_until([](char C) { return C == '>' || C == '"'; })).str()))
      return true;
  }
  return false;
}

llvm::StringRef kcheck::bundledHeadersDigest() { return KCHECK_HEADERS_DIGEST; }
