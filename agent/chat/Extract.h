//===- Extract.h - the JSON in what a model says -----------------------------------===//
#ifndef KCHECK_AGENT_CHAT_EXTRACT_H
#define KCHECK_AGENT_CHAT_EXTRACT_H

#include <string_view>
#include <vector>

namespace kcheck::agent {

/// The parts of Text that stand in balanced braces, outermost ones in order, brackets in strings not counted: JSON objects
/// among prose, fences and thoughts. What nests deeper than a parser may recurse is left out.
std::vector<std::string_view> objectsIn(std::string_view Text);

} // namespace kcheck::agent
#endif
