// SPDX-License-Identifier: Apache-2.0
// threads-cxx.cc - the classes of C++, which call the functions of POSIX.
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex cxx_lock;
static std::condition_variable changed;
static bool done;

int
main ()
{
  std::thread other ([] {
    std::lock_guard<std::mutex> guard (cxx_lock);
    done = true;
    changed.notify_all ();
  });
  {
    std::unique_lock<std::mutex> guard (cxx_lock);
    changed.wait (guard, [] { return done; });
  }
  other.join ();
  cxx_lock.lock ();
  cxx_lock.unlock ();
  return 0;
}
