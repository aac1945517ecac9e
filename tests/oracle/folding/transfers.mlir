// back and forth is nothing: return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.transfer %x : !T{16} from(A) -> to(B) !T{16} loc("a")
  %b = stream.async.transfer %a : !T{16} from(B) -> to(A) !T{16} loc("b")
  util.return %b : !T
}
// -----
// back with another lifetime is a clone of the first source: clone@b return
util.func public @f(%x: !T) -> !E {
  %a = stream.async.transfer %x : !T{16} from(A) -> to(B) !T{16} loc("a")
  %b = stream.async.transfer %a : !T{16} from(B) -> to(A) !E{16} loc("b")
  util.return %b : !E
}
// -----
// back to another device is one transfer: transfer@b return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.transfer %x : !T{16} from(A) -> to(B) !T{16} loc("a")
  %b = stream.async.transfer %a : !T{16} from(B) -> to(C) !T{16} loc("b")
  util.return %b : !T
}
// -----
// the first transfer of a chain stays where it is used: transfer@a transfer@b return
util.func public @f(%x: !T) -> (!T, !T) {
  %a = stream.async.transfer %x : !T{16} from(A) -> to(B) !T{16} loc("a")
  %b = stream.async.transfer %a : !T{16} from(B) -> to(C) !T{16} loc("b")
  util.return %a, %b : !T, !T
}
// -----
// a chain of one device and another is a clone and a transfer: clone@a transfer@b return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.transfer %x : !T{16} from(A) -> to(A) !T{16} loc("a")
  %b = stream.async.transfer %a : !T{16} from(A) -> to(B) !T{16} loc("b")
  util.return %b : !T
}
// -----
// one device is a clone: clone@a return
util.func public @f(%x: !T) -> !E {
  %a = stream.async.transfer %x : !T{16} from(A) -> to(A) !E{16} loc("a")
  util.return %a : !E
}
// -----
// no device is a clone: clone@a return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.transfer %x : !T{16} -> !T{16} loc("a")
  util.return %a : !T
}
// -----
// staging stays a transfer: transfer@a transfer@b return
util.func public @f(%x: !T) -> (!S, !T) {
  %a = stream.async.transfer %x : !T{16} from(A) -> to(A) !S{16} loc("a")
  %b = stream.async.transfer %a : !S{16} from(A) -> to(B) !T{16} loc("b")
  util.return %a, %b : !S, !T
}
// -----
// one known end stays a transfer: transfer@a return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.transfer %x : !T{16} from(A) -> !T{16} loc("a")
  util.return %a : !T
}
// -----
// an unused transfer goes: return
util.func public @f(%x: !T) {
  %a = stream.async.transfer %x : !T{16} from(A) -> to(B) !T{16} loc("a")
  util.return
}
// -----
// an execution affinity on the second keeps the trip, as a clone since 3.12: clone@b return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.transfer %x : !T{16} from(A) -> to(B) !T{16} loc("a")
  %b = stream.async.transfer on(B) %a : !T{16} from(B) -> to(A) !T{16} loc("b")
  util.return %b : !T
}
// -----
// an execution affinity on the first too since 3.12: clone@b return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.transfer on(A) %x : !T{16} from(A) -> to(B) !T{16} loc("a")
  %b = stream.async.transfer %a : !T{16} from(B) -> to(A) !T{16} loc("b")
  util.return %b : !T
}
// -----
// a collapsed chain keeps the last execution affinity since 3.12: transfer@c return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.transfer on(A) %x : !T{16} from(A) -> to(B) !T{16} loc("a")
  %b = stream.async.transfer on(B) %a : !T{16} from(B) -> to(A) !S{16} loc("b")
  %c = stream.async.transfer on(C) %b : !S{16} from(A) -> to(C) !T{16} loc("c")
  util.return %c : !T
}
// -----
// a clone of a clone copies the inner one: clone@a fill@c clone@a return
util.func public @f(%x: !T) -> (!T, !T) {
  %a = stream.async.clone on(A) %x : !T{16} -> !T{16} loc("a")
  %b = stream.async.clone on(B) %a : !T{16} -> !T{16} loc("b")
  %c = stream.async.fill on(A) %c7_i8, %a[0 to 4 for 4] : i8 -> %a as !T{16} loc("c")
  util.return %b, %c : !T, !T
}
// -----
// a clone of an argument stays: clone@a return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.clone on(A) %x : !T{16} -> !T{16} loc("a")
  util.return %a : !T
}
// -----
// an unused clone goes: return
util.func public @f(%x: !T) {
  %a = stream.async.clone on(A) %x : !T{16} -> !T{16} loc("a")
  util.return
}
// -----
// a clone of a splat is a splat for each use: splat@a splat@a dispatch@c return
util.func public @f() -> !T {
  %a = stream.async.splat on(A) %c7_i8 : i8 -> !T{16} loc("a")
  %b = stream.async.clone on(A) %a : !T{16} -> !T{16} loc("b")
  %c = stream.async.dispatch on(A) @ex::@d(%b[0 to 8 for 8], %b[8 to 16 for 8]) : (!T{16}, !T{16}) -> !T{16} loc("c")
  util.return %c : !T
}
// -----
// a clone of a dispatch that reads nothing is the dispatch again: dispatch@a return
util.func public @f() -> !E {
  %a = stream.async.dispatch on(A) @ex::@d() : () -> !T{16} loc("a")
  %b = stream.async.clone on(A) %a : !T{16} -> !E{16} loc("b")
  util.return %b : !E
}
// -----
// a clone of a dispatch that reads stays: dispatch@a clone@b return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.dispatch on(A) @ex::@d(%x[0 to 16 for 16]) : (!T{16}) -> !T{16} loc("a")
  %b = stream.async.clone on(A) %a : !T{16} -> !T{16} loc("b")
  util.return %b : !T
}
// -----
// a cast to the same lifetime goes since 3.12: return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.cast on(A) %x : !T{16} -> !T{16} loc("a")
  util.return %a : !T
}
// -----
// a cast and back goes since 3.12: return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.cast on(A) %x : !T{16} -> !E{16} loc("a")
  %b = stream.async.cast on(B) %a : !E{16} -> !T{16} loc("b")
  util.return %b : !T
}
// -----
// a cast of a cast is one since 3.12: cast@b return
util.func public @f(%x: !T) -> !V {
  %a = stream.async.cast on(A) %x : !T{16} -> !E{16} loc("a")
  %b = stream.async.cast on(B) %a : !E{16} -> !V{16} loc("b")
  util.return %b : !V
}
// -----
// an unused cast goes, one that is used stays since 3.12: cast@b return
util.func public @f(%x: !T) -> !E {
  %a = stream.async.cast on(A) %x : !T{16} -> !E{16} loc("a")
  %b = stream.async.cast on(A) %x : !T{16} -> !E{16} loc("b")
  util.return %b : !E
}
// -----
// a barrier stays, also unused: barrier@a return
util.func public @f(%x: !T) {
  %a = stream.async.barrier on(A) %x : !T{16} loc("a")
  util.return
}
