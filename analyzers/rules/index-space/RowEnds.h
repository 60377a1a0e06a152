//===- RowEnds.h - loops over the rows of a compressed table --------------------===//
#ifndef KCHECK_RULES_INDEX_SPACE_ROWENDS_H
#define KCHECK_RULES_INDEX_SPACE_ROWENDS_H

namespace kcheck {

class IndexReporter;

/// `for (i = start[r]; i <= start[r + 1]; ++i)`
void checkRowEnds(IndexReporter &R);

} // namespace kcheck
#endif
