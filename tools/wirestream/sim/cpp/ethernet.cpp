// SPDX-License-Identifier: Apache-2.0
#include "ethernet.h"

#include <algorithm>
#include <array>

namespace {

constexpr size_t PREAMBLE = 8, SHORTEST = 60, FCS = 4;
constexpr uint8_t SFD = 0xd5;

uint32_t crc32(const uint8_t *data, size_t length) {
    static const std::array<uint32_t, 256> table = [] {
        std::array<uint32_t, 256> entries;
        for (uint32_t i = 0; i < 256; ++i) {
            uint32_t c = i;
            for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (c & 1 ? 0xedb88320 : 0);
            entries[i] = c;
        }
        return entries;
    }();
    uint32_t crc = ~0u;
    for (size_t i = 0; i < length; ++i) crc = (crc >> 8) ^ table[(crc ^ data[i]) & 0xff];
    return ~crc;
}

}  // namespace

WireReader::WireReader(const Options &options) : in_(options.input) {
    if (!in_) {
        in_ = &file_.emplace(options.in, LINKTYPE_ETHERNET);
        log_.emplace(options.out + "/in.log");
    }
    if (!options.faults.empty()) faults_.emplace(options.faults);
}

bool WireReader::next() {
    do {
        if (!in_->next(frame_)) return false;
        Fault fault{};
        if (faults_ && !faults_->read(&fault, sizeof fault)) fail("the fault file has fewer records than frames");
        record = {0, 0, uint32_t(frame_.size()), fault.flags};
        octets.clear();
        if (!(fault.flags & (RAW | NO_PREAMBLE))) {
            octets.assign(PREAMBLE, 0x55);
            octets.back() = SFD;
        }
        error_at = fault.flags & ERROR ? octets.size() + fault.at : SIZE_MAX;
        if (!(fault.flags & (RAW | NO_PAD)) && frame_.size() < SHORTEST) frame_.resize(SHORTEST, 0);
        octets.insert(octets.end(), frame_.begin(), frame_.end());
        if (!(fault.flags & RAW)) {
            uint32_t fcs = crc32(frame_.data(), frame_.size()) ^ (fault.flags & BAD_FCS ? ~0u : 0);
            for (size_t i = 0; i < FCS; ++i) octets.push_back(fcs >> 8 * i);
        }
    } while (octets.empty());
    return true;
}

WireWriter::WireWriter(const Options &options) : out_(options.output) {
    if (out_) return;
    out_ = &file_.emplace(options.out + "/out.pcap", LINKTYPE_ETHERNET, options.period);
    log_.emplace(options.out + "/out.log");
}

bool WireWriter::write(const std::vector<uint8_t> &octets, PacketLog record) {
    const uint8_t *data = octets.data();
    size_t length = octets.size();
    size_t preamble = std::min(length, PREAMBLE - 1);
    bool whole = length >= PREAMBLE && std::count(data, data + preamble, 0x55) == PREAMBLE - 1;
    if (whole && data[PREAMBLE - 1] == SFD) {
        data += PREAMBLE;
        length -= PREAMBLE;
    } else {
        record.flags |= NO_PREAMBLE;
    }
    uint32_t fcs = 0;
    if (length >= FCS) std::memcpy(&fcs, data + (length -= FCS), FCS);
    else record.flags |= BAD_FCS;
    if (fcs != crc32(data, length)) record.flags |= BAD_FCS;
    record.length = length;
    out_->write(data, length, record.first);
    if (log_) log_->write(&record, sizeof record);
    return record.flags == 0;
}
