#include "tools/kcheck/Inputs.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace kcheck;
namespace fs = llvm::sys::fs;

static bool isCandidate(llvm::StringRef Path) {
  llvm::StringRef Ext = llvm::sys::path::extension(Path);
  return Ext == ".cu" || Ext == ".cuh" || Ext == ".py";
}

static llvm::Error walk(llvm::StringRef Dir, std::vector<std::string> &Out) {
  std::error_code EC;
  std::vector<std::string> Found;
  for (fs::recursive_directory_iterator I(Dir, EC, /*follow_symlinks=*/false), E; I != E && !EC; I.increment(EC)) {
    llvm::StringRef Name = llvm::sys::path::filename(I->path());
    if (I->type() == fs::file_type::directory_file && Name.starts_with(".")) {
      I.no_push(); // .git and the like
      continue;
    }
    if (I->type() == fs::file_type::regular_file && isCandidate(I->path()))
      Found.push_back(I->path());
  }
  if (EC)
    return llvm::createStringError(Dir + ": cannot walk the folder: " + EC.message());
  if (Found.empty())
    return llvm::createStringError(Dir + ": no .cu, .cuh or .py file in this folder; name a file, or another folder");
  std::sort(Found.begin(), Found.end());
  Out.insert(Out.end(), Found.begin(), Found.end());
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::string>> cli::expandInputs(const std::vector<std::string> &Words) {
  std::vector<std::string> All;
  for (const std::string &W : Words) {
    if (W == "-") {
      All.push_back(W);
      continue;
    }
    fs::file_status Status;
    if (std::error_code EC = fs::status(W, Status))
      return llvm::createStringError(EC, W + ": " + EC.message() + "; name a .cu or .cuh file, a folder, or - for stdin");
    if (Status.type() != fs::file_type::directory_file) {
      All.push_back(W);
      continue;
    }
    if (llvm::Error E = walk(W, All))
      return std::move(E);
  }
  llvm::StringSet<> Seen;
  std::vector<std::string> Files;
  for (std::string &F : All)
    if (Seen.insert(F).second)
      Files.push_back(std::move(F));
  return Files;
}

std::string cli::displayName(llvm::StringRef File) { return File == "-" ? "<stdin>.cu" : File.str(); }

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> cli::readInput(llvm::StringRef File) {
  auto Buffer = File == "-" ? llvm::MemoryBuffer::getSTDIN() : llvm::MemoryBuffer::getFile(File);
  if (!Buffer)
    return llvm::createStringError(Buffer.getError(), File + ": cannot read: " + Buffer.getError().message());
  if ((*Buffer)->getBuffer().take_front(8192).contains('\0'))
    return llvm::createStringError(File + ": a binary file; name CUDA source, or Python that holds some");
  return std::move(*Buffer);
}
