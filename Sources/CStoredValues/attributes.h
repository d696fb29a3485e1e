// Left out of what Swift imports of the C library.
#include <sys/xattr.h>
