// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_checks.vh: the checks of ws_fix_parameters.vh that both FIX parsers share. Needs ws_fix_layout.vh.

initial if (N_MESSAGES < 1 || N_GROUPS < 1 || N_BEGINS < 1 || N_DATA < 1) begin
    $display("ERROR: %m: N_MESSAGES = %0d, N_GROUPS = %0d, N_BEGINS = %0d, N_DATA = %0d (at least 1)",
             N_MESSAGES, N_GROUPS, N_BEGINS, N_DATA);
    $finish;
end

initial if (offset(N_FIELDS) != FIELDS_W) begin
    $display("ERROR: %m: FIELDS_W = %0d, but the fields have %0d bits", FIELDS_W, offset(N_FIELDS));
    $finish;
end
