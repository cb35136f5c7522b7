/* C11's atomics for both languages: C++ has <stdatomic.h> only since C++23. */
#ifndef PQX_ATOMICS_H
#define PQX_ATOMICS_H

#if defined(__cplusplus)
#include <atomic>
#define PQX_ATOMIC(type) std::atomic<type>
using std::atomic_compare_exchange_strong;
using std::atomic_compare_exchange_weak;
using std::atomic_exchange;
using std::atomic_fetch_add;
using std::atomic_fetch_or;
using std::atomic_fetch_sub;
using std::atomic_load;
using std::atomic_load_explicit;
using std::atomic_store;
using std::atomic_store_explicit;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
#else
#include <stdatomic.h>
#define PQX_ATOMIC(type) _Atomic(type)
#endif

#endif
