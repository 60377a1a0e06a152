#include "analyzers/engine/record/Database.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <sqlite3.h>

using namespace kcheck;

int64_t Database::Row::integer(int Column) const { return sqlite3_column_int64(S, Column); }

llvm::StringRef Database::Row::text(int Column) const {
  const auto *T = reinterpret_cast<const char *>(sqlite3_column_text(S, Column));
  return T ? llvm::StringRef(T, sqlite3_column_bytes(S, Column)) : llvm::StringRef();
}

llvm::Error Database::error() const {
  return llvm::createStringError("database " + Path + ": " + sqlite3_errmsg(Handle));
}

llvm::Expected<std::unique_ptr<Database>> Database::open(llvm::StringRef Path) {
  if (llvm::StringRef Dir = llvm::sys::path::parent_path(Path); !Dir.empty())
    if (std::error_code EC = llvm::sys::fs::create_directories(Dir))
      return llvm::createStringError(EC, "database " + Path + ": cannot make its folder: " + EC.message());
  sqlite3 *Handle = nullptr;
  int Rc = sqlite3_open_v2(Path.str().c_str(), &Handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nullptr);
  std::unique_ptr<Database> D(new Database(Handle, Path.str()));
  if (Rc != SQLITE_OK)
    return D->error();
  sqlite3_busy_timeout(Handle, 10000);
  // Switching to WAL needs the file alone for a moment and does not wait for it: another process that does the
  // same will have done it.
  for (int Try = 0; Try < 100; ++Try) {
    Rc = sqlite3_exec(Handle, "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr);
    if (Rc != SQLITE_BUSY)
      break;
    sqlite3_sleep(20);
  }
  if (Rc != SQLITE_OK)
    return D->error();
  if (llvm::Error E = D->script("PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON"))
    return std::move(E);
  return D;
}

Database::~Database() { sqlite3_close_v2(Handle); }

int64_t Database::lastId() const { return sqlite3_last_insert_rowid(Handle); }

llvm::Error Database::script(const char *Sql) {
  if (sqlite3_exec(Handle, Sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    return error();
  return llvm::Error::success();
}

static void bind(sqlite3_stmt *S, int Index, const Database::Value &V) {
  if (const auto *I = std::get_if<int64_t>(&V))
    sqlite3_bind_int64(S, Index, *I);
  else if (const auto *T = std::get_if<std::string>(&V))
    sqlite3_bind_text(S, Index, T->data(), static_cast<int>(T->size()), SQLITE_STATIC);
  else
    sqlite3_bind_null(S, Index);
}

llvm::Error Database::run(llvm::StringRef Sql, llvm::ArrayRef<Value> Args, const std::function<void(const Row &)> &Each) {
  sqlite3_stmt *S = nullptr;
  if (sqlite3_prepare_v2(Handle, Sql.data(), static_cast<int>(Sql.size()), &S, nullptr) != SQLITE_OK)
    return error();
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt *)> Owner(S, sqlite3_finalize);
  for (size_t I = 0; I < Args.size(); ++I)
    bind(S, static_cast<int>(I + 1), Args[I]);
  for (;;) {
    int Rc = sqlite3_step(S);
    if (Rc == SQLITE_DONE)
      return llvm::Error::success();
    if (Rc != SQLITE_ROW)
      return error();
    if (Each)
      Each(Row(S));
  }
}

llvm::Error Database::transaction(llvm::function_ref<llvm::Error()> Body) {
  if (llvm::Error E = script("BEGIN IMMEDIATE"))
    return E;
  if (llvm::Error E = Body()) {
    llvm::consumeError(script("ROLLBACK"));
    return E;
  }
  return script("COMMIT");
}
