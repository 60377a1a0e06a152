# Read by CPack for each generator: the tarball may be unpacked anywhere, so that it begins with bin/.
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_PACKAGING_INSTALL_PREFIX "")
endif()
