// Left out of Swift's import of the C library.
#include <malloc.h>
#include <sys/xattr.h>
