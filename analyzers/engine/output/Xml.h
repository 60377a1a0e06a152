//===- Xml.h - text inside XML and HTML ---------------------------------------===//
#ifndef KCHECK_ENGINE_OUTPUT_XML_H
#define KCHECK_ENGINE_OUTPUT_XML_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace kcheck {

/// Escapes the five signs; invalid UTF-8 and control characters that XML forbids become U+FFFD.
inline std::string xmlEscape(llvm::StringRef Text) {
  std::string Out;
  for (char C : llvm::json::fixUTF8(Text))
    switch (C) {
    case '&': Out += "&amp;"; break;
    case '<': Out += "&lt;"; break;
    case '>': Out += "&gt;"; break;
    case '"': Out += "&quot;"; break;
    case '\'': Out += "&#39;"; break;
    default:
      if (static_cast<unsigned char>(C) < 0x20 && C != '\t' && C != '\n')
        Out += "\xEF\xBF\xBD";
      else
        Out += C;
    }
  return Out;
}

} // namespace kcheck
#endif
