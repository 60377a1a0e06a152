//===- Database.h - an SQLite file, errors as values --------------------------===//
#ifndef KCHECK_ENGINE_RECORD_DATABASE_H
#define KCHECK_ENGINE_RECORD_DATABASE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <string>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace kcheck {

class Database {
public:
  using Value = std::variant<std::nullptr_t, int64_t, std::string>;
  /// One row of an answer, valid during the call.
  class Row {
  public:
    explicit Row(sqlite3_stmt *S) : S(S) {}
    int64_t integer(int Column) const;
    llvm::StringRef text(int Column) const;

  private:
    sqlite3_stmt *S;
  };

  /// Opens or creates the file (its folder too); many processes may write at once: WAL, and a wait of ten
  /// seconds for a lock.
  static llvm::Expected<std::unique_ptr<Database>> open(llvm::StringRef Path);
  ~Database();

  llvm::Error run(llvm::StringRef Sql, llvm::ArrayRef<Value> Args = {}, const std::function<void(const Row &)> &Each = {});
  /// Several statements without arguments.
  llvm::Error script(const char *Sql);
  /// Runs Body between BEGIN IMMEDIATE and COMMIT; an error rolls back.
  llvm::Error transaction(llvm::function_ref<llvm::Error()> Body);
  int64_t lastId() const;

private:
  Database(sqlite3 *Handle, std::string Path) : Handle(Handle), Path(std::move(Path)) {}
  llvm::Error error() const;

  sqlite3 *Handle;
  std::string Path;
};

} // namespace kcheck
#endif
