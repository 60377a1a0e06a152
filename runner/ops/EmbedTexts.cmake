# Writes ${OUT}: the texts of ${DIR}/*.cu and baseline.cuh as a table.
file(GLOB texts ${DIR}/*.cu)
set(rows "")
set(count 0)
foreach(file IN LISTS texts ITEMS ${DIR}/baseline.cuh)
  get_filename_component(name ${file} NAME)
  string(REGEX REPLACE "\\.cu$" "" name ${name})
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"kcheck(${text})kcheck\"},\n")
  math(EXPR count "${count} + 1")
endforeach()
set(code "// Made from ${DIR} by EmbedTexts.cmake.\n#include <string_view>\nnamespace kcheck::ops {\nstruct BaselineText {\n  std::string_view Name, Text;\n};\n\
extern const BaselineText BaselineTexts[] = {\n${rows}};\nextern const unsigned BaselineCount = ${count};\n} // namespace kcheck::ops\n")
file(WRITE ${OUT} "${code}")
