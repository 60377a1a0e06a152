# LLVM and Clang, linked statically: the imported clang targets always drag in libLLVM.so, so the archives
# are named. -DLLVM_DIR=… finds another installation.
find_package(LLVM REQUIRED CONFIG HINTS ${LLVM_DIR} /usr/lib/llvm-22/lib/cmake/llvm)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "kcheck needs LLVM 22, found ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}; set -DLLVM_DIR=")
endif()
message(STATUS "kcheck: LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
set(KCHECK_LLVM_LIBDIR ${LLVM_LIBRARY_DIR})
set(KCHECK_LLVM_BINDIR ${LLVM_TOOLS_BINARY_DIR})
find_program(KCHECK_LLVM_CONFIG NAMES llvm-config llvm-config-22 HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED NO_DEFAULT_PATH)
execute_process(COMMAND ${KCHECK_LLVM_BINDIR}/clang -print-resource-dir
  OUTPUT_VARIABLE KCHECK_CLANG_RESOURCE_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)

# kcheck_llvm_headers: what code that includes Clang needs to compile, with the precompiled header.
add_library(kcheck_llvm_headers INTERFACE)
target_include_directories(kcheck_llvm_headers SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_options(kcheck_llvm_headers INTERFACE -Wno-unused-local-typedef -Wno-deprecated-declarations)
target_compile_definitions(kcheck_llvm_headers INTERFACE KCHECK_CLANG_RESOURCE_DIR="${KCHECK_CLANG_RESOURCE_DIR}")

# One precompiled header of the Clang headers serves every target: 3 s a unit instead of 12. It may live
# outside the build folder (KCHECK_PCH_DIR), so that several build folders share it and ccache hits.
set(KCHECK_PCH_DIR ${CMAKE_BINARY_DIR}/pch CACHE PATH "where the precompiled Clang headers are kept")
set(kcheck_pch ${KCHECK_PCH_DIR}/clang-${CMAKE_BUILD_TYPE}.pch)
configure_file(${PROJECT_SOURCE_DIR}/cmake/clang_pch.h.in ${KCHECK_PCH_DIR}/clang_pch.h COPYONLY)
string(TOUPPER "${CMAKE_BUILD_TYPE}" kcheck_bt)
separate_arguments(kcheck_pch_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${kcheck_bt}}")
if(KCHECK_SANITIZE)
  list(APPEND kcheck_pch_flags -fsanitize=address,undefined -fno-omit-frame-pointer)
endif()
add_custom_command(OUTPUT ${kcheck_pch}
  COMMAND ${CMAKE_CXX_COMPILER} ${kcheck_pch_flags} -std=c++20 -fPIC -x c++-header -fpch-instantiate-templates
          -Xclang -fno-pch-timestamp -isystem ${LLVM_INCLUDE_DIRS} ${KCHECK_PCH_DIR}/clang_pch.h -o ${kcheck_pch}
  DEPENDS ${KCHECK_PCH_DIR}/clang_pch.h COMMENT "Precompiling the Clang headers")
add_custom_target(kcheck_pch DEPENDS ${kcheck_pch})

# kcheck_use_clang(target): compile with Clang's headers.
function(kcheck_use_clang target)
  target_link_libraries(${target} PUBLIC kcheck_options kcheck_llvm_headers)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -include-pch -Xclang ${kcheck_pch}" "SHELL:-Xclang -fno-pch-timestamp" -Winvalid-pch)
    get_target_property(sources ${target} SOURCES)
    set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS ${kcheck_pch})
    add_dependencies(${target} kcheck_pch)
  endif()
endfunction()

# kcheck_llvm: the archives, for programs.
set(kcheck_clang_libs clangTooling clangFrontend clangDriver clangSerialization clangParse clangSema clangAPINotes
  clangAnalysisLifetimeSafety clangAnalysis clangEdit clangASTMatchers clangDependencyScanning clangAST clangFormat
  clangToolingInclusions clangToolingCore clangRewrite clangOptions clangSupport clangLex clangBasic)
list(TRANSFORM kcheck_clang_libs PREPEND ${KCHECK_LLVM_LIBDIR}/lib)
list(TRANSFORM kcheck_clang_libs APPEND .a)
# kcheck_llvm_archives(out component...): the static archives of LLVM components
function(kcheck_llvm_archives out)
  execute_process(COMMAND ${KCHECK_LLVM_CONFIG} --link-static --libs ${ARGN}
    OUTPUT_VARIABLE libs OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(libs UNIX_COMMAND "${libs}")
  list(TRANSFORM libs REPLACE "^-l(.*)$" "${KCHECK_LLVM_LIBDIR}/lib\\1.a")
  set(${out} ${libs} PARENT_SCOPE)
endfunction()
kcheck_llvm_archives(kcheck_llvm_libs frontendopenmp frontendoffloading frontendhlsl frontenddirective frontenddriver
  option targetparser support core bitreader profiledata mc mcparser windowsdriver coverage)
find_library(KCHECK_ZSTD NAMES libzstd.a zstd REQUIRED)
find_library(KCHECK_ZLIB NAMES libz.a z REQUIRED)
add_library(kcheck_llvm INTERFACE)
target_link_libraries(kcheck_llvm INTERFACE -Wl,--start-group ${kcheck_clang_libs} ${kcheck_llvm_libs} -Wl,--end-group
  ${KCHECK_ZLIB} ${KCHECK_ZSTD} rt dl m pthread)
# A program at a fixed address starts without relocating 1.8 MB of tables.
target_link_options(kcheck_llvm INTERFACE -no-pie -fuse-ld=lld -Wl,--gc-sections -Wl,--as-needed -static-libgcc -static-libstdc++)
