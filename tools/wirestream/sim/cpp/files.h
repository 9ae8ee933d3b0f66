// SPDX-License-Identifier: Apache-2.0
//
// Files, read and written as streams, with one buffer per file.
#pragma once

#include <cstdio>

#include "bench.h"

constexpr uint32_t LINKTYPE_ETHERNET = 1, LINKTYPE_USER0 = 147;

class Reader {
public:
    explicit Reader(const std::string &path);
    ~Reader();
    bool read(void *to, size_t size);  // false at the end of the file; a partial record is an error

private:
    std::string path_;
    std::FILE *file_;
    std::vector<uint8_t> buffer_;
    size_t begin_ = 0, end_ = 0;
};

class Writer {
public:
    explicit Writer(const std::string &path);
    ~Writer();
    void write(const void *from, size_t size) {
        if (used_ + size > buffer_.size()) flush(size);
        std::memcpy(&buffer_[used_], from, size);
        used_ += size;
    }

private:
    void flush(size_t room);
    std::string path_;
    std::FILE *file_;
    std::vector<uint8_t> buffer_;
    size_t used_ = 0;
};

// pcap files in the machine's byte order.
class PacketReader final : public FrameInput {
public:
    PacketReader(const std::string &path, uint32_t linktype);
    bool next(std::vector<uint8_t> &packet) override;

private:
    std::string path_;
    Reader file_;
};

class PacketWriter final : public FrameOutput {
public:
    PacketWriter(const std::string &path, uint32_t linktype, double period_ns);
    void write(const uint8_t *packet, size_t length, uint64_t cycle) override;

private:
    Writer file_;
    double period_ns_;
};
