#include "analyzers/engine/output/HtmlParts.h"
#include "analyzers/engine/output/Report.h"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

using namespace kcheck;
using llvm::json::Object;

namespace {

std::string render(void (*Write)(llvm::raw_ostream &, const Object &), llvm::StringRef Json) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  auto V = llvm::json::parse(Json);
  EXPECT_TRUE(bool(V));
  if (V)
    Write(OS, *V->getAsObject());
  else
    llvm::consumeError(V.takeError());
  // For a look in a browser: KCHECK_HTML_PARTS=FILE collects what the tests draw.
  if (const char *File = std::getenv("KCHECK_HTML_PARTS"))
    std::ofstream(File, std::ios::app) << Text;
  return Text;
}

TEST(HtmlPartsTest, DrawsTimesAndRoofline) {
  std::string H = render(writePerfHtml, R"({"state":"measured","shape":"m=1024, n=1024, k=1024","bytes":12582912,"flops":2147483648,"copy_gb_s":4100,"fma_gflop_s":51000,
    "floor_ms":0.0421,"launch_ms":0.004,"candidate":{"median_ms":0.0656,"low_ms":0.0651,"high_ms":0.0672,"least_ms":0.0649,"samples":50},
    "baseline":{"median_ms":0.0526,"low_ms":0.0522,"high_ms":0.0534,"least_ms":0.052,"samples":50},"ratio":{"value":1.25,"low":1.24,"high":1.26,"max":2}})");
  EXPECT_NE(H.find("65.6 µs"), std::string::npos) << H;
  EXPECT_NE(H.find("52.6 µs"), std::string::npos);
  EXPECT_NE(H.find("roofline 42.1 µs"), std::string::npos);
  EXPECT_NE(H.find("1.25x the baseline"), std::string::npos);
  EXPECT_NE(H.find("candidate, 64 % of the roof"), std::string::npos);
  EXPECT_EQ(H.find("nan"), std::string::npos);
  EXPECT_EQ(H.find("inf"), std::string::npos);
}

TEST(HtmlPartsTest, SaysWhereNothingIsFinite) {
  std::string H = render(writeNumericsHtml, R"({"seed":7,"shapes":[{"shape":{"rows":5,"cols":33},"distribution":"normal","state":"fail","outputs":[{"name":"y","elements":165,"wrong":165,
    "want":{"count":165,"nan":0,"inf":0,"low":1e-11,"high":0.992,"mean":0.0303,"histogram":[160,5]},
    "got":{"count":165,"nan":160,"inf":5,"low":1e-11,"high":0.992,"mean":0,"histogram":[0,0]},"error_histogram":[0,0]}]}]})");
  EXPECT_NE(H.find("1 case, seed 7"), std::string::npos) << H;
  EXPECT_NE(H.find("values at cols=33, rows=5 (normal)"), std::string::npos);
  EXPECT_NE(H.find("y, reference: 1e-11 to 0.992, mean 0.0303<"), std::string::npos);
  EXPECT_NE(H.find("y, candidate: 160 NaN, 5 infinite<"), std::string::npos);
  EXPECT_NE(H.find("none is finite"), std::string::npos);
}

TEST(HtmlPartsTest, DrawsWhatThereIs) {
  EXPECT_EQ(render(writePerfHtml, R"({"state":"not_measured","why":"no clock"})"), "");
  std::string H = render(writePerfHtml, R"({"state":"measured","shape":"n=<7>","candidate":{"median_ms":2.5,"low_ms":2.4,"high_ms":2.7,"least_ms":2.3,"samples":50}})");
  EXPECT_NE(H.find("2.5 ms"), std::string::npos);
  EXPECT_NE(H.find("n=&lt;7&gt;"), std::string::npos);
  EXPECT_EQ(H.find("aria-label=\"roofline\""), std::string::npos);
  EXPECT_EQ(H.find("nan"), std::string::npos);
}

TEST(HtmlPartsTest, ShowsCountersOfBothDevices) {
  std::string Gpu = render(writeCountersHtml, R"({"source":"cupti","kernels":[{"kernel":"fused<float>","state":"measured","values":{"memory_pct":71.2,"compute_pct":18,"occupancy_pct":43,"active_lanes":31.5},
    "labels":[{"name":"memory_throughput","primary":true,"evidence":"71 % of the peak"},{"name":"occupancy_limit","primary":false,"evidence":"43 %, bound by registers"}]}]})");
  EXPECT_NE(Gpu.find("fused&lt;float&gt;"), std::string::npos);
  EXPECT_NE(Gpu.find("71.2 %"), std::string::npos);
  EXPECT_NE(Gpu.find("tag primary\">memory_throughput"), std::string::npos);
  std::string Sim = render(writeCountersHtml, R"({"state":"simulated","launches":[{"kernel":"k","occupancy_percent":100,"active_lanes":16,"sectors_per_ideal":4,"labels":[{"label":"uncoalesced","primary":true,"line":8,"evidence":"4.00 sectors for each that is needed"}]}]})");
  EXPECT_NE(Sim.find("16 of 32"), std::string::npos);
  EXPECT_NE(Sim.find("25 %"), std::string::npos);
  EXPECT_NE(Sim.find("uncoalesced"), std::string::npos);
  EXPECT_EQ(render(writeCountersHtml, R"({"state":"simulated","launches":[]})"), "");
}

} // namespace
