// RUN: iree-opt %s > %t
// RUN: not iree-opt %t 2>&1 | filecheck %s
// id: a-resource-config-attribute-does-not-read-back
// title: A resource config attribute does not read back as it prints
// signature: roundtrip/parse/does-not-parse/expected-valid-keyword
// check: roundtrip
// verdict: broken-contract
// guilty-pass: parse
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the text that the printer makes parses
// actual: expected valid keyword
// issue: unreported
// CHECK: error: expected valid keyword

util.func private @f() attributes {stream.resources = #stream.resource_config<{max_allocation_size = 16, min_buffer_offset_alignment = 16, max_buffer_range = 16, min_buffer_range_alignment = 16, index_bits = 32}>} {
 util.return
}
