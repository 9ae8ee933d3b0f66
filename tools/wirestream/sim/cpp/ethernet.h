// SPDX-License-Identifier: Apache-2.0
//
// Ethernet frames on the wire, for GMII and XGMII. Files hold them from the destination address to the last octet before
// the FCS; the bench generates and checks preamble, padding and FCS.
#pragma once

#include <optional>

#include "files.h"

// Reads the frames of --in, with the faults of --faults, and writes in.log; or reads those of a board.
class WireReader {
public:
    explicit WireReader(const Options &options);
    bool next();  // lay out the next frame; false: no more
    void log() {
        if (log_) log_->write(&record, sizeof record);
    }

    std::vector<uint8_t> octets;  // preamble, frame, padding, FCS: never empty
    size_t error_at = SIZE_MAX;   // the octet with an error
    PacketLog record{};

private:
    std::optional<PacketReader> file_;
    FrameInput *in_;
    std::optional<Reader> faults_;
    std::optional<Writer> log_;
    std::vector<uint8_t> frame_;
};

// Checks and strips preamble and FCS, and writes the frames to out.pcap and out.log, or to the output of a board.
class WireWriter {
public:
    explicit WireWriter(const Options &options);
    bool write(const std::vector<uint8_t> &octets, PacketLog record);  // is the frame good?

private:
    std::optional<PacketWriter> file_;
    FrameOutput *out_;
    std::optional<Writer> log_;
};
