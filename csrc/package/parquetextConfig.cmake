# Define the target parquetext::parquetext for the library in LIBDIR, if this file is in LIBDIR/cmake/parquetext. A shared
# library is preferred; set parquetext_LIBRARY to use another file.
get_filename_component(_parquetext_libdir "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
find_library(parquetext_LIBRARY parquetext PATHS "${_parquetext_libdir}" NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
# LIBDIR is PREFIX/lib or PREFIX/lib/MACHINE.
find_path(parquetext_INCLUDE_DIR parquetext.h
          PATHS "${_parquetext_libdir}/../include" "${_parquetext_libdir}/../../include"
          NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(parquetext_LIBRARY parquetext_INCLUDE_DIR)
if(NOT parquetext_LIBRARY OR NOT parquetext_INCLUDE_DIR)
  set(parquetext_FOUND FALSE)
  set(parquetext_NOT_FOUND_MESSAGE "no library or no parquetext.h below ${_parquetext_libdir}/..")
elseif(NOT TARGET parquetext::parquetext)
  add_library(parquetext::parquetext UNKNOWN IMPORTED)
  set_target_properties(parquetext::parquetext PROPERTIES
                        IMPORTED_LOCATION "${parquetext_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${parquetext_INCLUDE_DIR}")
endif()
unset(_parquetext_libdir)
