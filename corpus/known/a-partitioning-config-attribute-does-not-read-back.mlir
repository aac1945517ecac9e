// RUN: iree-opt %s > %t
// RUN: not iree-opt %t 2>&1 | filecheck %s
// id: a-partitioning-config-attribute-does-not-read-back
// title: A partitioning config attribute does not read back as it prints
// signature: roundtrip/parse/does-not-parse/expected-string
// check: roundtrip
// verdict: broken-contract
// guilty-pass: parse
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the text that the printer makes parses
// actual: expected string
// issue: unreported
// CHECK: error: expected string

util.func private @f(%a: !stream.resource<external>) -> !stream.resource<external> attributes {stream.partitioning = #stream.partitioning_config<"min-peak-memory">} {
  util.return %a : !stream.resource<external>
}
