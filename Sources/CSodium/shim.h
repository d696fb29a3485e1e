#if __has_include(<sodium.h>)
#include <sodium.h>
#else
#error "The trait EncryptedFile needs libsodium: apt-get install libsodium-dev pkg-config, or build without that trait."
#endif
