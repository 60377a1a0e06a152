#include "gate/reference/Npy.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace kcheck;
using namespace kcheck::gate;

static protocol::Bytes npy(std::string Dictionary, std::vector<float> Data) {
  protocol::Bytes B = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  B.push_back(uint8_t(Dictionary.size()));
  B.push_back(uint8_t(Dictionary.size() >> 8));
  B.insert(B.end(), Dictionary.begin(), Dictionary.end());
  size_t At = B.size();
  B.resize(At + Data.size() * 4);
  if (!Data.empty())
    std::memcpy(&B[At], Data.data(), Data.size() * 4);
  return B;
}

TEST(Npy, ReadsAnArray) {
  std::string Error;
  auto B = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", {1, 2, 3, 4, 5, 6});
  auto A = parseNpy(B.data(), B.size(), Error);
  ASSERT_TRUE(A) << Error;
  EXPECT_EQ(A->Shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(A->Type, protocol::DType::F32);
  EXPECT_EQ(A->Data.size(), 24u);
}

TEST(Npy, SaysWhatIsWrong) {
  std::string Error;
  auto Reject = [&](protocol::Bytes B) { return !parseNpy(B.data(), B.size(), Error); };
  EXPECT_TRUE(Reject({1, 2, 3}));
  EXPECT_TRUE(Reject(npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", {1})));
  EXPECT_NE(Error.find("<c8"), std::string::npos);
  EXPECT_TRUE(Reject(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", {1})));
  EXPECT_TRUE(Reject(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", {1})));
  EXPECT_TRUE(Reject(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", {1})));
  EXPECT_FALSE(readArrays("/nowhere.npz", Error));
}
