# kcheck_version(out source fallback): X.Y.Z of the nearest tag vX.Y.Z, and +N.gHASH for N commits behind it. Fallback where
# there is no repository (a tarball) or no tag yet.
# As a script (-P, with SOURCE, FALLBACK and HEADER) it writes the header, if it changed: a commit makes one unit anew, not all.
function(kcheck_version out source fallback)
  set(version ${fallback})
  find_program(KCHECK_GIT git)
  if(KCHECK_GIT AND EXISTS ${source}/.git)
    execute_process(COMMAND ${KCHECK_GIT} describe --tags --match "v[0-9]*" --abbrev=8 WORKING_DIRECTORY ${source}
      OUTPUT_VARIABLE described RESULT_VARIABLE status ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(status EQUAL 0)
      string(REGEX REPLACE "^v" "" described "${described}")
      string(REGEX REPLACE "-([0-9]+)-(g[0-9a-f]+)$" "+\\1.\\2" version "${described}")
    endif()
  endif()
  set(${out} ${version} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  kcheck_version(version ${SOURCE} ${FALLBACK})
  file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define KCHECK_FULL_VERSION \"${version}\"\n")
endif()
