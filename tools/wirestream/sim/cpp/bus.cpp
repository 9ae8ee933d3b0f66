// SPDX-License-Identifier: Apache-2.0
#include "bus.h"

#include <arpa/inet.h>
#include <cstdio>
#include <unistd.h>

#include "link.h"

static constexpr uint32_t WRITE = 1u << 31, QUERY = 0x1000, EVENTS = 0x2000, HOST = 0x3000, HOST_BYTES = 0x100, OKAY = 0, SLVERR = 2, DECERR = 3;
static constexpr uint32_t MAGIC = 0x57520100;  // with the version, and 0 for the count
static constexpr size_t HEADER = 8, TRANSFER = 8, MOST = 180;

AxiLite::AxiLite(Ports &ports, const std::string &prefix) {
    if (!ports.has(prefix + "_awaddr")) return;
    auto take = [&](const char *name) { return ports.take(prefix + name); };
    awaddr_ = take("_awaddr"), wdata_ = take("_wdata"), wstrb_ = take("_wstrb"), araddr_ = take("_araddr");
    rdata_ = take("_rdata"), bresp_ = take("_bresp"), rresp_ = take("_rresp");
    awvalid_ = take("_awvalid").data, wvalid_ = take("_wvalid").data, bready_ = take("_bready").data;
    arvalid_ = take("_arvalid").data, rready_ = take("_rready").data, awready_ = take("_awready").data;
    wready_ = take("_wready").data, bvalid_ = take("_bvalid").data, arready_ = take("_arready").data;
    rvalid_ = take("_rvalid").data;
    *awvalid_ = *wvalid_ = *arvalid_ = 0;
    *bready_ = *rready_ = 1;
}

void AxiLite::begin(bool write, uint32_t address, uint32_t data) {
    (write ? writing_ : reading_) = true;
    (write ? awaddr_ : araddr_).set(address & 0xfff);
    if (write) wdata_.set(data), wstrb_.set(15);
    address_taken_ = data_taken_ = false;
}

void AxiLite::drive() {
    *awvalid_ = writing_ && !address_taken_;
    *wvalid_ = writing_ && !data_taken_;
    *arvalid_ = reading_ && !address_taken_;
    if (!*awvalid_) awaddr_.scramble(random_);
    if (!*wvalid_) wdata_.scramble(random_), wstrb_.scramble(random_);
    if (!*arvalid_) araddr_.scramble(random_);
}

void AxiLite::sample() {
    address_taken_ |= (*awvalid_ && *awready_) || (*arvalid_ && *arready_);
    data_taken_ |= *wvalid_ && *wready_;
    if (writing_ && *bvalid_) {
        response = bresp_.value();
        value = 0;
        writing_ = false;
    }
    if (reading_ && *rvalid_) {
        response = rresp_.value();
        value = rdata_.value();
        reading_ = false;
    }
}

Registers::Registers(Ports &ports) : network_(ports, "s_axil"), query_(ports, "q_axil"), host_(ports, "h_axil") {}

Registers::~Registers() {
    if (descriptor_ >= 0) close(descriptor_);
}

void Registers::listen(const std::string &address) { descriptor_ = bound_socket(address_of(address, "--registers")); }

void Registers::write(uint32_t address, uint32_t value) { request_.push_back({address | WRITE, value}); }

void Registers::poll() {
    if (descriptor_ < 0 || busy()) return;
    uint32_t words[(HEADER + MOST * TRANSFER) / 4 + 1];
    asker_.resize(sizeof(sockaddr_storage));
    socklen_t room = asker_.size();
    ssize_t size = recvfrom(descriptor_, words, sizeof words, 0, reinterpret_cast<sockaddr *>(asker_.data()), &room);
    if (size < ssize_t(HEADER)) return;
    asker_.resize(room);
    uint32_t head = ntohl(words[0]), count = head & 0xff;
    if ((head & ~0xffu) != MAGIC || count == 0 || count > MOST || size_t(size) != HEADER + count * TRANSFER) return;
    number_ = words[1];
    request_.resize(count);
    for (size_t i = 0; i < count; ++i) request_[i] = {ntohl(words[2 + 2 * i]), ntohl(words[3 + 2 * i])};
    place_ = 0;
    asked_ = true;
}

// The response replaces the address when it arrives.
void Registers::go_on() {
    if (active_ && !active_->busy()) {
        request_[place_++] = {active_->response, active_->value};
        ++answered;
        refused += active_->response != 0;
        active_ = nullptr;
    }
    while (!active_ && busy()) {
        auto [address, value] = request_[place_];
        if (AxiLite *bus = this->bus(address & ~WRITE); bus && *bus) {
            active_ = bus;
            bus->begin(address & WRITE, address, value);
        } else {
            refused += (request_[place_++] = counted(address)).address != OKAY;
            ++answered;
        }
    }
    if (active_) active_->drive();
    else answer();
}

// The bus with this address; null: none.
AxiLite *Registers::bus(uint32_t address) {
    if (address < QUERY) return &network_;
    if (address < EVENTS) return &query_;
    return address >= HOST && address < HOST + HOST_BYTES ? &host_ : nullptr;
}

// The answer to a transfer that belongs to no bus.
Registers::Transfer Registers::counted(uint32_t address) const {
    uint32_t word = ((address & ~WRITE) - EVENTS) / 4;
    if ((address & ~WRITE) < EVENTS || !monitor_ || word / 2 >= monitor_->events()) return {DECERR, 0};
    if (address & WRITE) return {SLVERR, 0};
    return {OKAY, uint32_t(monitor_->event(word / 2) >> 32 * (word % 2))};
}

void Registers::answer() {
    if (network_) network_.drive();
    if (query_) query_.drive();
    if (host_) host_.drive();
    if (asked_) {
        std::vector<uint32_t> words = {htonl(MAGIC | uint32_t(request_.size())), number_};
        for (const Transfer &transfer : request_) {
            words.push_back(htonl(transfer.address));
            words.push_back(htonl(transfer.value));
        }
        auto *asker = reinterpret_cast<const sockaddr *>(asker_.data());
        // If the answer is lost, the host repeats its request.
        (void)!sendto(descriptor_, words.data(), 4 * words.size(), 0, asker, asker_.size());
    }
    asked_ = false;
    request_.clear();
    place_ = 0;
}
