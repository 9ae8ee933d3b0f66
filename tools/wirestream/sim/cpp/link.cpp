// SPDX-License-Identifier: Apache-2.0
#include "link.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <netinet/ether.h>
#include <sys/ioctl.h>
#include <unistd.h>

static constexpr size_t MOST_WAITING = 1 << 16, AT_ONCE = 256;  // frames
static constexpr int SOCKET_BUFFER = 1 << 24, QUEUE = 10000;

[[noreturn]] static void failed(const std::string &what) { fail("%s: %s", what.c_str(), std::strerror(errno)); }

sockaddr_in address_of(const std::string &text, const char *what) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    size_t colon = text.rfind(':');
    if (colon == std::string::npos || inet_pton(AF_INET, text.substr(0, colon).c_str(), &address.sin_addr) != 1)
        fail("%s: '%s' is not ADDRESS:PORT, such as 127.0.0.1:4200", what, text.c_str());
    const auto port = number(text.substr(colon + 1), what);
    if (port < 1 || port > 65535) fail("%s: '%s' has no port from 1 to 65535", what, text.c_str());
    address.sin_port = htons(port);
    return address;
}

int bound_socket(const sockaddr_in &address) {
    int file = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), size = SOCKET_BUFFER, on = 1;
    if (file < 0) failed("socket");
    // As large as the system allows; unprivileged processes get less, which is acceptable.
    if (setsockopt(file, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size))
        setsockopt(file, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    setsockopt(file, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
    if (bind(file, reinterpret_cast<const sockaddr *>(&address), sizeof address))
        failed("UDP port " + std::to_string(ntohs(address.sin_port)));
    return file;
}

Link::~Link() {
    for (int file : {descriptor_, mirror_})
        if (file >= 0) close(file);
}

void Link::mirror(const std::string &address) {
    sockaddr_in to = address_of(address, "--mirror");
    mirror_ = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (mirror_ < 0 || connect(mirror_, reinterpret_cast<const sockaddr *>(&to), sizeof to)) failed("--mirror");
}

void Link::write(const uint8_t *frame, size_t length, uint64_t) {
    ++(send(frame, length) == ssize_t(length) ? sent : unsent);
    if (mirror_ >= 0) (void)!::send(mirror_, frame, length, 0);
}

void Link::fetch() {
    uint8_t frame[LONGEST];
    ssize_t size;
    for (size_t n = 0; n < AT_ONCE && (size = read(frame, sizeof frame)) >= 0; ++n) {
        if (size == 0) continue;
        ++received;
        if (waiting_.size() < MOST_WAITING) waiting_.emplace_back(frame, frame + size);
        else ++dropped;
    }
}

bool Link::next(std::vector<uint8_t> &frame) {
    if (!closed) fetch();
    if (closed || waiting_.empty()) return false;
    frame = std::move(waiting_.front());
    waiting_.pop_front();
    return true;
}

namespace {

// The processes with a TAP device of this name, in any network namespace, as far as /proc reveals them.
std::string holders(const std::string &name) {
    namespace fs = std::filesystem;
    std::string found;
    std::error_code hidden;
    for (const fs::directory_entry &process : fs::directory_iterator("/proc", hidden)) {
        fs::directory_iterator files(process.path() / "fdinfo", hidden);
        if (hidden) continue;
        for (const fs::directory_entry &file : files) {
            std::ifstream info(file.path());
            std::string word, device, command;
            while (info >> word && word != "iff:") {}
            if (!(info >> device) || device != name) continue;
            std::getline(std::ifstream(process.path() / "comm") >> std::ws, command);
            found += (found.empty() ? "process " : ", ") + process.path().filename().string() + " (" + command + ")";
        }
    }
    return found.empty() ? "in use by a process that only root can see" : "possibly in use by " + found;
}

class Tap final : public Link {
public:
    Tap(const std::string &name, const std::string &address, const std::string &mac) : name_(name) {
        size_t slash = address.find('/');
        uint64_t bits = slash == std::string::npos ? 24 : number(address.substr(slash + 1), "--address");
        in_addr host, mask{htonl(bits ? ~0u << (32 - bits) : 0)};
        if (bits > 32 || inet_pton(AF_INET, address.substr(0, slash).c_str(), &host) != 1)
            fail("--address: '%s' is not ADDRESS/BITS, such as 192.168.1.77/24", address.c_str());
        ether_addr hardware{};
        if (!mac.empty() && !ether_aton_r(mac.c_str(), &hardware)) fail("--mac: '%s' is not a MAC address", mac.c_str());
        if (name.empty() || name.size() >= IFNAMSIZ) fail("--tap: '%s' is not the name of a device", name.c_str());

        descriptor_ = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
        if (descriptor_ < 0) failed("/dev/net/tun");
        ifreq request{};
        name.copy(request.ifr_name, IFNAMSIZ - 1);
        request.ifr_flags = IFF_TAP | IFF_NO_PI;
        if (ioctl(descriptor_, TUNSETIFF, &request)) refused();
        int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        request.ifr_qlen = QUEUE;
        set(control, SIOCSIFTXQLEN, request);
        set(control, SIOCSIFADDR, request, host);
        set(control, SIOCSIFNETMASK, request, mask);
        if (!mac.empty()) {
            request.ifr_hwaddr = {};
            request.ifr_hwaddr.sa_family = ARPHRD_ETHER;
            std::memcpy(request.ifr_hwaddr.sa_data, &hardware, sizeof hardware);
            set(control, SIOCSIFHWADDR, request);
        }
        request.ifr_flags = IFF_UP | IFF_RUNNING;
        set(control, SIOCSIFFLAGS, request);
        close(control);
    }

    uint64_t host_dropped() override {  // dropped on transmission by the host: the twelfth number of its line
        std::FILE *file = std::fopen("/proc/self/net/dev", "r");
        uint64_t lost = 0;
        char line[512];
        while (file && std::fgets(line, sizeof line, file)) {
            char *colon = std::strchr(line, ':');
            if (!colon) continue;
            *colon = 0;
            if (name_ != line + std::strspn(line, " ")) continue;
            std::sscanf(colon + 1, "%*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &lost);
        }
        if (file) std::fclose(file);
        return lost;
    }

protected:
    ssize_t read(uint8_t *to, size_t room) override { return ::read(descriptor_, to, room); }

    ssize_t send(const uint8_t *frame, size_t length) override { return ::write(descriptor_, frame, length); }

private:
    [[noreturn]] void refused() const {
        if (errno == EBUSY)
            fail("TAP device %s is busy, %s; stop it, or choose another name", name_.c_str(), holders(name_).c_str());
        if (errno == EPERM) fail("TAP device %s: needs root or CAP_NET_ADMIN; a tunnel does not", name_.c_str());
        failed("TAP device " + name_);
    }
    void set(int control, unsigned long what, ifreq &request) {
        if (ioctl(control, what, &request)) failed("TAP device " + name_);
    }
    void set(int control, unsigned long what, ifreq &request, in_addr value) {
        auto *address = reinterpret_cast<sockaddr_in *>(&request.ifr_addr);
        *address = {};
        address->sin_family = AF_INET;
        address->sin_addr = value;
        set(control, what, request);
    }
    std::string name_;
};

class Tunnel final : public Link {
public:
    Tunnel(const std::string &local, const std::string &peer) : peer_(address_of(peer, "--peer")) {
        descriptor_ = bound_socket(address_of(local, "--tunnel"));
    }

    uint64_t host_dropped() override { return host_dropped_; }

protected:
    ssize_t read(uint8_t *to, size_t room) override {
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(uint32_t))];
        iovec part{to, room};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        ssize_t size = recvmsg(descriptor_, &message, 0);
        if (size < 0) return size;
        for (cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part))
            if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SO_RXQ_OVFL)
                std::memcpy(&host_dropped_, CMSG_DATA(part), sizeof host_dropped_);
        return size;
    }

    ssize_t send(const uint8_t *frame, size_t length) override {
        return sendto(descriptor_, frame, length, 0, reinterpret_cast<const sockaddr *>(&peer_), sizeof peer_);
    }

private:
    sockaddr_in peer_;
    uint32_t host_dropped_ = 0;
};

}  // namespace

std::unique_ptr<Link> tap_link(const std::string &name, const std::string &address, const std::string &mac) {
    return std::make_unique<Tap>(name, address, mac);
}

std::unique_ptr<Link> tunnel_link(const std::string &local, const std::string &peer) {
    return std::make_unique<Tunnel>(local, peer);
}
