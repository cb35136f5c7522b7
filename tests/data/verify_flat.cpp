// Runs the verifier that flatc generates over all files of a folder: default options, and max_tables raised where a
// file's name says how many chunks it has ("chunks-400000.flat"). Prints the names of those that fail; exit 1 if any does.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#ifndef VERIFY  // another schema: its header by -include, its function by -DVERIFY=
#include "parquet_generated.h"
#define VERIFY parquet::format::VerifyFileMetaDataBuffer
#endif

static bool holds(const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    unsigned long chunks = 0;
    std::sscanf(path.filename().c_str(), "chunks-%lu.flat", &chunks);
    auto data = reinterpret_cast<const uint8_t *>(bytes.data());
    flatbuffers::Verifier usual(data, bytes.size());
    flatbuffers::Verifier raised(data, bytes.size(), 64, static_cast<flatbuffers::uoffset_t>(4 * chunks));
    return VERIFY(chunks > 300000 ? raised : usual);
}

int main(int, char **arguments) {
    int failed = 0, count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(arguments[1])) {
        count++;
        if (holds(entry.path())) continue;
        std::printf("%s\n", entry.path().filename().c_str());
        failed = 1;
    }
    std::fprintf(stderr, "%d files\n", count);
    return failed;
}
