# System calls on files.
from libc.stdint cimport int64_t, uint64_t

cdef extern from "<fcntl.h>" nogil:
    int O_RDONLY, O_CLOEXEC, O_NONBLOCK
    int open(const char *path, int flags)
cdef extern from "<unistd.h>" nogil:
    int close(int fd)
    ssize_t pread(int fd, void *into, size_t count, int64_t offset)
    unsigned int geteuid()
cdef extern from "<sys/mman.h>" nogil:
    int PROT_READ, MAP_SHARED
    void *MAP_FAILED
    void *mmap(void *at, size_t size, int protection, int flags, int fd, int64_t offset)
    int munmap(void *start, size_t size)
cdef extern from "<sys/stat.h>" nogil:
    struct timespec:
        int64_t tv_sec
        long tv_nsec
    struct stat_t "stat":
        unsigned int st_mode, st_uid
        int64_t st_size
        uint64_t st_dev, st_ino
        timespec st_mtim, st_ctim
    int fstat(int fd, stat_t *facts)
    int stat(const char *path, stat_t *facts)
    int S_ISDIR(unsigned int mode)
    int S_ISREG(unsigned int mode)
cdef extern from "Python.h":
    object PyUnicode_EncodeFSDefault(object text)
