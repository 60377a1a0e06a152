#include "agent/mcp/Message.h"
#include "agent/mcp/Schema.h"
#include <gtest/gtest.h>

using namespace kcheck::mcp;

TEST(LineBufferTest, CutsAtNewlinesWhereverTheBytesCome) {
  LineBuffer B;
  bool TooLong;
  B.add("{\"a\":");
  EXPECT_FALSE(B.next(TooLong));
  B.add("1}\r\nx");
  EXPECT_EQ(B.next(TooLong), "{\"a\":1}");
  EXPECT_FALSE(B.next(TooLong));
  EXPECT_EQ(B.rest(), "x");
}

TEST(LineBufferTest, DropsALineThatIsTooLongAndGoesOn) {
  LineBuffer B;
  bool TooLong;
  std::string Chunk(1u << 20, 'x');
  for (size_t Sent = 0; Sent <= MostLineBytes + Chunk.size(); Sent += Chunk.size()) {
    B.add(Chunk);
    EXPECT_FALSE(B.next(TooLong));
  }
  B.add("\n{}\n");
  EXPECT_EQ(B.next(TooLong), "");
  EXPECT_TRUE(TooLong);
  EXPECT_EQ(B.next(TooLong), "{}");
  EXPECT_FALSE(TooLong);
}

TEST(MessageTest, BoundsDepthButNotBracketsInStrings) {
  std::string Why;
  std::string Deep(100000, '[');
  EXPECT_FALSE(parseMessage(Deep, Why));
  EXPECT_NE(Why.find("deeper"), std::string::npos);
  EXPECT_TRUE(parseMessage("{\"text\":\"" + std::string(1000, '[') + "\\\"[\"}", Why));
}

TEST(MessageTest, RefusesWhatIsNoJsonOrNoUtf8) {
  std::string Why;
  EXPECT_FALSE(parseMessage("{\"a\":", Why));
  EXPECT_FALSE(parseMessage("{} {}", Why));
  EXPECT_FALSE(parseMessage("\"\xff\xfe\"", Why));
  EXPECT_FALSE(parseMessage("nan", Why));
}

TEST(MessageTest, WritesOneLineAndReplacesBrokenText) {
  std::string Line = toLine(response(1, {{"text", "a\nb\xff"}}));
  EXPECT_EQ(std::count(Line.begin(), Line.end(), '\n'), 1);
  EXPECT_EQ(Line.back(), '\n');
  EXPECT_NE(Line.find("a\\nb\xEF\xBF\xBD"), std::string::npos);
}

TEST(SchemaTest, NamesThePlaceAndWhatIsKnown) {
  Json Schema = Json::parse(R"({"type": "object", "additionalProperties": false, "required": ["steps"], "properties": {
    "steps": {"type": "array", "items": {"type": "object", "properties": {"line": {"type": "integer", "minimum": 1}}}}}})");
  EXPECT_TRUE(faults({{"steps", Json::array()}}, Schema).empty());
  EXPECT_EQ(faults(Json::object(), Schema).size(), 1u);
  auto Unknown = faults({{"step", 1}}, Schema);
  ASSERT_EQ(Unknown.size(), 1u);
  EXPECT_NE(Unknown[0].find("'step'"), std::string::npos);
  EXPECT_NE(Unknown[0].find("steps"), std::string::npos);
  auto Low = faults({{"steps", {{{"line", 0}}}}}, Schema);
  ASSERT_FALSE(Low.empty());
  EXPECT_NE(Low[0].find("line"), std::string::npos);
  EXPECT_FALSE(faults({{"steps", {{{"line", 1.5}}}}}, Schema).empty());
}
