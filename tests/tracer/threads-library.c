/* SPDX-License-Identifier: Apache-2.0 */
/* threads-library.c - takes a lock of its own; loaded and unloaded by threads-tricks. */
#include <pthread.h>

static pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__ ((visibility ("default"))) void take_in_library (void);

void
take_in_library (void)
{
  pthread_mutex_lock (&library_lock);
  pthread_mutex_unlock (&library_lock);
}
