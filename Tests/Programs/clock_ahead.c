// Preloaded, it lets a program see a wall clock that is an hour ahead of the kernel's. A wait in the kernel until a time of that clock is
// then as one that began before the clock was put back.

#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int
clock_gettime (clockid_t clock, struct timespec *time)
{
    int result = syscall (SYS_clock_gettime, clock, time);
    if (result == 0 && clock == CLOCK_REALTIME)
        time->tv_sec += 3600;
    return result;
}
