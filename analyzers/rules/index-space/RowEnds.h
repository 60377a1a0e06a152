//===- RowEnds.h - where the rows of a compressed table begin and end -----------===//
#ifndef KCHECK_RULES_INDEX_SPACE_ROWENDS_H
#define KCHECK_RULES_INDEX_SPACE_ROWENDS_H

namespace kcheck {

class IndexReporter;

/// `for (i = start[r]; i <= start[r + 1]; ++i)`, and the first element of a row that may have none
void checkRowEnds(IndexReporter &R);

} // namespace kcheck
#endif
