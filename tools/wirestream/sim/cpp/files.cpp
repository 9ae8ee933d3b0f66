// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include <algorithm>
#include <cerrno>

static constexpr size_t BUFFER = 1 << 20;
static constexpr uint32_t MICROSECONDS = 0xa1b2c3d4, NANOSECONDS = 0xa1b23c4d;
static constexpr uint32_t LONGEST = 1 << 18;

static std::FILE *open(const std::string &path, const char *mode) {
    std::FILE *file = std::fopen(path.c_str(), mode);
    if (!file) fail("%s: %s", path.c_str(), std::strerror(errno));
    return file;
}

Reader::Reader(const std::string &path) : path_(path), file_(open(path, "rb")), buffer_(BUFFER) {}

Reader::~Reader() { std::fclose(file_); }

bool Reader::read(void *to, size_t size) {
    auto *out = static_cast<uint8_t *>(to);
    size_t got = 0;
    while (got < size) {
        if (begin_ == end_) {
            begin_ = 0;
            end_ = std::fread(buffer_.data(), 1, buffer_.size(), file_);
            if (!end_) {
                if (std::ferror(file_)) fail("%s: %s", path_.c_str(), std::strerror(errno));
                if (got) fail("%s: ends in the middle of a record", path_.c_str());
                return false;
            }
        }
        size_t some = std::min(size - got, end_ - begin_);
        std::memcpy(out + got, &buffer_[begin_], some);
        begin_ += some;
        got += some;
    }
    return true;
}

Writer::Writer(const std::string &path) : path_(path), file_(open(path, "wb")), buffer_(BUFFER) {}

Writer::~Writer() {
    flush(0);
    if (std::fclose(file_)) fail("%s: %s", path_.c_str(), std::strerror(errno));
}

void Writer::flush(size_t room) {
    if (std::fwrite(buffer_.data(), 1, used_, file_) != used_) fail("%s: %s", path_.c_str(), std::strerror(errno));
    used_ = 0;
    if (room > buffer_.size()) buffer_.resize(room);
}

struct FileHeader {
    uint32_t magic;
    uint16_t major, minor;
    uint32_t zone, accuracy, snaplen, linktype;
};

struct PacketHeader {
    uint32_t seconds, fraction, captured, length;
};

PacketReader::PacketReader(const std::string &path, uint32_t linktype) : path_(path), file_(path) {
    FileHeader header;
    if (!file_.read(&header, sizeof header) || (header.magic != MICROSECONDS && header.magic != NANOSECONDS))
        fail("%s: not a pcap file in this machine's byte order", path.c_str());
    if (header.linktype != linktype)
        fail("%s: link type %u, but this core takes %u", path.c_str(), header.linktype, linktype);
}

bool PacketReader::next(std::vector<uint8_t> &packet) {
    PacketHeader header;
    if (!file_.read(&header, sizeof header)) return false;
    if (header.captured > LONGEST) fail("%s: a packet of %u bytes", path_.c_str(), header.captured);
    packet.resize(header.captured);
    if (header.captured && !file_.read(packet.data(), packet.size())) fail("%s: cut short", path_.c_str());
    return true;
}

PacketWriter::PacketWriter(const std::string &path, uint32_t linktype, double period_ns)
    : file_(path), period_ns_(period_ns) {
    FileHeader header{NANOSECONDS, 2, 4, 0, 0, LONGEST, linktype};
    file_.write(&header, sizeof header);
}

void PacketWriter::write(const uint8_t *packet, size_t length, uint64_t cycle) {
    uint64_t ns = cycle * period_ns_;  // exact below 2**53
    PacketHeader header{uint32_t(ns / 1000000000), uint32_t(ns % 1000000000), uint32_t(length), uint32_t(length)};
    file_.write(&header, sizeof header);
    file_.write(packet, length);
}
