// SPDX-License-Identifier: Apache-2.0
//
// The Verilated model with its ports and its clock, included only by the file with main(): main.cpp or board.cpp.
#pragma once

#include "Vdut.h"
#include "bench.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

class Model {
public:
    Ports ports;   // those not yet bound to a stream
    uint8_t *rst;

    Model(const Options &options, const Run &run) : options_(options), run_(run) {
        context_.randReset(2);
        context_.randSeed(1 + options.seed % INT32_MAX);
        model_ = std::make_unique<Vdut>(&context_);
#if VM_TRACE
        context_.traceEverOn(true);
        if (options.trace) {
            model_->trace(&vcd_, 99);
            vcd_.open((options.out + "/dump.vcd").c_str());
        }
#else
        if (options.trace) fail("this bench was built without traces");
#endif
        list_ports();
        clk_ = ports.take("clk").data;
        rst = ports.bit("rst", false);
    }

    void evaluate(bool level) {
        *clk_ = level;
        model_->eval();
#if VM_TRACE
        if (options_.trace) vcd_.dump(run_.cycle * options_.period + (level ? options_.period / 2 : 0));
#endif
    }

    bool finished() const { return context_.gotFinish(); }

    void end() {
        model_->final();
#if VM_TRACE
        if (options_.trace) vcd_.close();
#endif
    }

private:
    // bulk_ports.inc, the only generated file, has a line for each port of the core.
    void list_ports() {
        const bool input = true, output = false;
#define PORT(direction, name, width) ports.add(#name, direction, &model_->name, width);
#include "bulk_ports.inc"
#undef PORT
    }

    [[maybe_unused]] const Options &options_;
    [[maybe_unused]] const Run &run_;
    VerilatedContext context_;
    std::unique_ptr<Vdut> model_;
#if VM_TRACE
    VerilatedVcdC vcd_;
#endif
    uint8_t *clk_;
};
