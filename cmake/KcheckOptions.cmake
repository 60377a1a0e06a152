# Flags that every target of ours shares.
add_library(kcheck_options INTERFACE)
target_compile_options(kcheck_options INTERFACE "$<BUILD_INTERFACE:-fPIC;-Wall;-Wextra;-Wno-unused-parameter>")
target_include_directories(kcheck_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/kcheck>)
target_compile_definitions(kcheck_options INTERFACE $<BUILD_INTERFACE:KCHECK_VERSION="${PROJECT_VERSION}">)
if(KCHECK_SANITIZE)
  target_compile_options(kcheck_options INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(kcheck_options INTERFACE -fsanitize=address,undefined)
endif()
find_program(KCHECK_CCACHE ccache)
if(KCHECK_CCACHE)
  # PCH users need the sloppiness; base_dir lets two checkouts share objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_NOHASHDIR=1
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${KCHECK_CCACHE})
endif()
