# The CUDA toolkit is no Debian package: it is found or absent. Nothing of ours needs it to build except
# the headers for the GPU worker; without it build, lint and plain simulation work.
option(KCHECK_HIDE_CUDA "act as if no CUDA toolkit were installed" OFF)
set(KCHECK_CUDA_ROOT "")
if(NOT KCHECK_HIDE_CUDA)
  find_path(KCHECK_CUDA_INCLUDE cuda_runtime.h
    HINTS ${CUDAToolkit_ROOT} $ENV{CUDAToolkit_ROOT} $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda /opt/cuda
    PATH_SUFFIXES include targets/x86_64-linux/include NO_DEFAULT_PATH)
  if(KCHECK_CUDA_INCLUDE)
    get_filename_component(KCHECK_CUDA_ROOT ${KCHECK_CUDA_INCLUDE} DIRECTORY)
  endif()
endif()
message(STATUS "kcheck: CUDA toolkit: ${KCHECK_CUDA_ROOT}")
