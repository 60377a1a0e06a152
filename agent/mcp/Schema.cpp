#include "agent/mcp/Schema.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

using nlohmann::json;

/// The valid names, for a key that is none.
static std::string known(const json &Schema) {
  std::string Names;
  if (auto P = Schema.find("properties"); P != Schema.end() && P->is_object())
    for (auto &[Name, Value] : P->items())
      Names += (Names.empty() ? "" : ", ") + Name;
  return Names;
}

/// Keys that no property allows, in our own words: the library names neither them nor what would be right.
static void unknownKeys(const json &Value, const json &Schema, std::vector<std::string> &Out) {
  if (!Value.is_object() || !Schema.is_object() || Schema.value("additionalProperties", json(true)) != json(false))
    return;
  for (auto &[Key, Unused] : Value.items())
    if (!Schema.contains("properties") || !Schema["properties"].contains(Key))
      Out.push_back("unknown key '" + Key + "'; known are " + known(Schema));
}

std::vector<std::string> kcheck::mcp::faults(const json &Value, const json &Schema) {
  std::vector<std::string> Out;
  unknownKeys(Value, Schema, Out);
  if (!Out.empty())
    return Out;
  try {
    valijson::Schema S;
    valijson::SchemaParser Parser;
    Parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(Schema), S);
    valijson::Validator Check(valijson::Validator::kStrongTypes);
    valijson::ValidationResults Results;
    if (Check.validate(S, valijson::adapters::NlohmannJsonAdapter(Value), &Results))
      return {};
    valijson::ValidationResults::Error E;
    while (Results.popError(E)) {
      std::string Place;
      for (const std::string &Part : E.context)
        Place += Part == "<root>" ? "" : Part;
      // Faults come from the inside out; that a part is wrong says nothing new.
      if (E.description.rfind("Failed to validate against", 0) == 0 && !Out.empty())
        continue;
      Out.push_back((Place.empty() ? "" : Place + ": ") + E.description);
    }
    if (Out.empty())
      Out.push_back("does not fit the schema");
  } catch (const std::exception &E) { // the library throws for schemas that are none
    Out.push_back(std::string("the schema is wrong: ") + E.what());
  }
  return Out;
}
