#include <sys/xattr.h>  // left out of Swift's import of the C library
