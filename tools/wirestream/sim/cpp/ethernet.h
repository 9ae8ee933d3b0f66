// SPDX-License-Identifier: Apache-2.0
//
// Ethernet frames as a wire carries them, for GMII and XGMII. Files hold them from the destination address to the last
// octet before the FCS: the bench makes and checks preamble, padding and FCS.
#pragma once

#include <optional>

#include "files.h"

// The frames of --in, damaged as --faults says, and in.log; or those of a board.
class WireReader {
public:
    explicit WireReader(const Options &options);
    bool next();  // lay out the next frame; false: there is none
    void log() {
        if (log_) log_->write(&record, sizeof record);
    }

    std::vector<uint8_t> octets;  // preamble, frame, padding, FCS: never empty
    size_t error_at = SIZE_MAX;   // the octet that comes with an error
    PacketLog record{};

private:
    std::optional<PacketReader> file_;
    FrameInput *in_;
    std::optional<Reader> faults_;
    std::optional<Writer> log_;
    std::vector<uint8_t> frame_;
};

// out.pcap and out.log, or the output of a board: what is left of frames when preamble and FCS are checked and
// stripped.
class WireWriter {
public:
    explicit WireWriter(const Options &options);
    bool write(const std::vector<uint8_t> &octets, PacketLog record);  // is the frame good?

private:
    std::optional<PacketWriter> file_;
    FrameOutput *out_;
    std::optional<Writer> log_;
};
