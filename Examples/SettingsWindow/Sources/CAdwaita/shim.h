#pragma once

#include <adwaita.h>
#include <glib-unix.h>

// What libdispatch exports for other main loops: CoreFoundation's uses it, on Linux too. No header of the toolchain declares it.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *unused);
