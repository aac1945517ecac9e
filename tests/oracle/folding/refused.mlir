// arithmetic of a constant that is not modelled: refused arith.maxsi
util.func public @f(%n: i32) -> i32 {
  %a = arith.maxsi %n, %c7_i32 : i32
  util.return %a : i32
}
// -----
// sums of sums with constants: refused arith.addi
util.func public @f(%n: index) -> index {
  %a = arith.addi %n, %c7 : index
  %b = arith.addi %a, %c5 : index
  util.return %b : index
}
// -----
// casts of casts: refused arith.extsi
util.func public @f(%n: i8) -> i64 {
  %a = arith.extsi %n : i8 to i32
  %b = arith.extsi %a : i32 to i64
  util.return %b : i64
}
// -----
// divisions of a constant: refused arith.divsi
util.func public @f(%n: i32) -> i32 {
  %a = arith.divsi %c7_i32, %n : i32
  util.return %a : i32
}
// -----
// the greater of two: refused arith.select
util.func public @f(%m: i32, %n: i32) -> i32 {
  %c = arith.cmpi slt, %m, %n : i32
  %a = arith.select %c, %n, %m : i32
  util.return %a : i32
}
// -----
// a number divided by itself: refused arith.divui
util.func public @f(%m: i32) -> i32 {
  %a = arith.divui %m, %m : i32
  util.return %a : i32
}
// -----
// a division by zero: refused arith.remsi
util.func public @f() -> i32 {
  %a = arith.remsi %c3_i32, %c0_i32 : i32
  util.return %a : i32
}
// -----
// bits of extended values: refused arith.andi
util.func public @f(%m: i8, %n: i8) -> i32 {
  %a = arith.extui %m : i8 to i32
  %b = arith.extui %n : i8 to i32
  %c = arith.andi %a, %b : i32
  util.return %c : i32
}
// -----
// a truncated product: refused arith.trunci
util.func public @f(%m: i32, %n: i32) -> i8 {
  %a = arith.muli %m, %n : i32
  %b = arith.trunci %a : i32 to i8
  util.return %b : i8
}
// -----
// a difference and what was taken away: refused arith.addi
util.func public @f(%m: i32, %n: i32) -> i32 {
  %a = arith.subi %m, %n : i32
  %b = arith.addi %a, %n : i32
  util.return %b : i32
}
// -----
// floats: refused arith.addf
util.func public @f() -> f32 {
  %x = arith.constant 1.0 : f32
  %a = arith.addf %x, %x : f32
  util.return %a : f32
}
// -----
// ops of other dialects that may fold: refused util.cmp.eq
util.func public @f(%x: !hal.buffer_view, %y: !hal.buffer_view) -> i1 {
  %a = util.cmp.eq %x, %y : !hal.buffer_view
  util.return %a : i1
}
// -----
// a constant of a type that the model does not know: refused bf16
util.func public @f() -> !K {
  %a = stream.async.constant on(A) : !K{8} = dense<1.0> : tensor<4xbf16>
  util.return %a : !K
}
// -----
// bytes of a type that the model does not know since 3.12: refused f16
util.func public @f(%x: !T) -> f16 {
  %a = stream.async.clone on(A) %x : !T{16} -> !T{16}
  %b = stream.async.transfer %a : !T{16} from(A) -> to(A) !S{16}
  %c = stream.async.load %b[0] : !S{16} -> f16
  util.return %c : f16
}
// -----
// a map: refused affine.apply
util.func public @f(%n: index) -> index {
  %a = affine.apply affine_map<()[s0] -> (s0 * 16)>()[%n]
  util.return %a : index
}
// -----
// a constant of flags: refused i1
util.func public @f() -> !K {
  %a = stream.async.constant on(A) : !K{4} = dense<true> : tensor<4xi1>
  util.return %a : !K
}
