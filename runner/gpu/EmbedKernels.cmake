# Writes ${OUT}: the texts of helpers.cu and references.cu in ${DIR}, and of ${GLUE}.
file(READ ${DIR}/helpers.cu helpers)
file(READ ${DIR}/references.cu references)
file(READ ${GLUE} glue)
# A string literal may not be longer than 64 KiB everywhere: these are far below.
file(WRITE ${OUT} "// Made from ${DIR} by EmbedKernels.cmake.\nnamespace kcheck::gpu {\n\
extern const char *const HelperKernels, *const ReferenceKernels, *const GlueText;\n\
const char *const HelperKernels = R\"kcheck(${helpers})kcheck\";\nconst char *const ReferenceKernels = R\"kcheck(${references})kcheck\";\n\
const char *const GlueText = R\"kcheck(${glue})kcheck\";\n} // namespace kcheck::gpu\n")
