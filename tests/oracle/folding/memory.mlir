// a pattern of equal bytes is narrowed, others are not: splat@a splat@b splat@c splat@d return
util.func public @f() -> (!T, !T, !T, !T) {
  %a = stream.async.splat on(A) %c257_i32 : i32 -> !T{16} loc("a")
  %b = stream.async.splat on(A) %c65537_i32 : i32 -> !T{16} loc("b")
  %c = stream.async.splat on(A) %c-1_i64 : i64 -> !T{16} loc("c")
  %d = stream.async.splat on(A) %c4294967297_i64 : i64 -> !T{16} loc("d")
  util.return %a, %b, %c, %d : !T, !T, !T, !T
}
// -----
// a splat sinks to its first user: transfer@b splat@a fill@c update@d return
util.func public @f(%x: !T) -> (!T, !T) {
  %a = stream.async.splat on(A) %c7_i8 : i8 -> !T{16} loc("a")
  %b = stream.async.transfer %x : !T{32} from(A) -> to(B) !T{32} loc("b")
  %c = stream.async.fill on(A) %c1_i8, %a[0 to 4 for 4] : i8 -> %a as !T{16} loc("c")
  %d = stream.async.update on(A) %c, %b[0 to 16] : !T{16} -> %b as !T{32} loc("d")
  util.return %c, %d : !T, !T
}
// -----
// splats that one op needs do not pass one another: splat@a splat@b dispatch@c return
util.func public @f() -> !T {
  %a = stream.async.splat on(A) %c7_i8 : i8 -> !T{16} loc("a")
  %b = stream.async.splat on(A) %c6_i8 : i8 -> !T{16} loc("b")
  %c = stream.async.dispatch on(A) @ex::@d(%a[0 to 16 for 16], %b[0 to 16 for 16]) : (!T{16}, !T{16}) -> !T{16} loc("c")
  util.return %c : !T
}
// -----
// a splat that one branch needs sinks into it: if@b splat@a fill@c yield yield return
util.func public @f(%c: i1, %x: !T) -> !T {
  %a = stream.async.splat on(A) %c7_i8 : i8 -> !T{16} loc("a")
  %b = scf.if %c -> (!T) {
    %f = stream.async.fill on(A) %c1_i8, %a[0 to 4 for 4] : i8 -> %a as !T{16} loc("c")
    scf.yield %f : !T
  } else {
    scf.yield %x : !T
  } loc("b")
  util.return %b : !T
}
// -----
// a splat for both branches sinks to the op around: transfer@d splat@a if@b fill@c yield fill@e yield return
util.func public @f(%c: i1, %x: !T) -> (!T, !T) {
  %a = stream.async.splat on(A) %c7_i8 : i8 -> !T{16} loc("a")
  %d = stream.async.transfer %x : !T{16} from(A) -> to(B) !T{16} loc("d")
  %b = scf.if %c -> (!T) {
    %f = stream.async.fill on(A) %c1_i8, %a[0 to 4 for 4] : i8 -> %a as !T{16} loc("c")
    scf.yield %f : !T
  } else {
    %e = stream.async.fill on(A) %c2_i8, %a[0 to 4 for 4] : i8 -> %a as !T{16} loc("e")
    scf.yield %e : !T
  } loc("b")
  util.return %b, %d : !T, !T
}
// -----
// an unused splat and alloca go: return
util.func public @f() {
  %a = stream.async.splat on(A) %c7_i8 : i8 -> !T{16} loc("a")
  %b = stream.async.alloca on(A) : !T{16} loc("b")
  util.return
}
// -----
// an alloca sinks: transfer@b alloca@a update@c return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.alloca on(A) : !T{16} loc("a")
  %b = stream.async.transfer %x : !T{8} from(B) -> to(A) !T{8} loc("b")
  %c = stream.async.update on(A) %b, %a[0 to 8] : !T{8} -> %a as !T{16} loc("c")
  util.return %c : !T
}
// -----
// a constant of equal elements is a splat: constant@b splat@a return
util.func public @f() -> (!K, !K) {
  %a = stream.async.constant on(A) : !K{16} = dense<5> : tensor<4xi32> loc("a")
  %b = stream.async.constant on(A) : !K{16} = dense<[5, 6, 5, 5]> : tensor<4xi32> loc("b")
  util.return %a, %b : !K, !K
}
// -----
// a list of equal elements too: splat@a return
util.func public @f() -> !K {
  %a = stream.async.constant on(A) : !K{8} = dense<[5, 5]> : tensor<2xi32> loc("a")
  util.return %a : !K
}
// -----
// a slice of all is the source: return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.slice on(A) %x[0 to 16] : !T{16} -> !T{16} loc("a")
  util.return %a : !T
}
// -----
// a slice of a part stays, an unused one goes: slice@a return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.slice on(A) %x[0 to 8] : !T{16} -> !T{8} loc("a")
  %b = stream.async.slice on(A) %x[0 to 8] : !T{16} -> !T{8} loc("b")
  util.return %a : !T
}
// -----
// a slice of a splat is a smaller splat: splat@b return
util.func public @f() -> !T {
  %a = stream.async.splat on(A) %c7_i8 : i8 -> !T{16} loc("a")
  %b = stream.async.slice on(B) %a[0 to 8] : !T{16} -> !T{8} loc("b")
  util.return %b : !T
}
// -----
// a fill of all of what is made here is a splat: splat@b return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.clone on(A) %x : !T{16} -> !T{16} loc("a")
  %b = stream.async.fill on(A) %c7_i8, %a[0 to 16 for 16] : i8 -> %a as !T{16} loc("b")
  util.return %b : !T
}
// -----
// a fill of all of an argument stays: fill@b return
util.func public @f(%x: !T) -> !T {
  %b = stream.async.fill on(A) %c7_i8, %x[0 to 16 for 16] : i8 -> %x as !T{16} loc("b")
  util.return %b : !T
}
// -----
// a fill of all of what is stored elsewhere stays: fill@a fill@b return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.fill on(A) %c3_i8, %x[0 to 4 for 4] : i8 -> %x as !T{16} loc("a")
  %b = stream.async.fill on(A) %c7_i8, %a[0 to 16 for 16] : i8 -> %a as !T{16} loc("b")
  util.return %b : !T
}
// -----
// a fill with a splat's own pattern goes, with another it stays: splat@a fill@c return
util.func public @f() -> !T {
  %a = stream.async.splat on(A) %c7_i8 : i8 -> !T{16} loc("a")
  %b = stream.async.fill on(A) %c7_i8, %a[0 to 4 for 4] : i8 -> %a as !T{16} loc("b")
  %c = stream.async.fill on(A) %c8_i8, %b[0 to 4 for 4] : i8 -> %b as !T{16} loc("c")
  util.return %c : !T
}
// -----
// fills side by side are one: fill@a return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.fill on(A) %c7_i8, %x[0 to 4 for 4] : i8 -> %x as !T{16} loc("a")
  %b = stream.async.fill on(A) %c7_i8, %a[4 to 8 for 4] : i8 -> %a as !T{16} loc("b")
  util.return %b : !T
}
// -----
// the second before the first: fill@a return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.fill on(A) %c7_i8, %x[8 to 12 for 4] : i8 -> %x as !T{16} loc("a")
  %b = stream.async.fill on(A) %c7_i8, %a[4 to 8 for 4] : i8 -> %a as !T{16} loc("b")
  util.return %b : !T
}
// -----
// fills of a length that is known at run time: addi@a+b addi@a+b fill@a return
util.func public @f(%x: !T, %n: index) -> !T {
  %a = stream.async.fill on(A) %c7_i8, %x[0 to %n for %n] : i8 -> %x as !T{64} loc("a")
  %b = stream.async.fill on(A) %c7_i8, %a[%n to 32 for 4] : i8 -> %a as !T{64} loc("b")
  util.return %b : !T
}
// -----
// not with a gap, another pattern or another user: fill@a fill@b fill@c fill@d fill@e return
util.func public @f(%x: !T) -> (!T, !T) {
  %a = stream.async.fill on(A) %c7_i8, %x[0 to 4 for 4] : i8 -> %x as !T{16} loc("a")
  %b = stream.async.fill on(A) %c7_i8, %a[8 to 10 for 2] : i8 -> %a as !T{16} loc("b")
  %c = stream.async.fill on(A) %c6_i8, %b[10 to 12 for 2] : i8 -> %b as !T{16} loc("c")
  %d = stream.async.fill on(A) %c5_i8, %c[12 to 13 for 1] : i8 -> %c as !T{16} loc("d")
  %e = stream.async.fill on(A) %c5_i8, %d[13 to 14 for 1] : i8 -> %d as !T{16} loc("e")
  util.return %d, %e : !T, !T
}
// -----
// an unused fill, update and copy go: return
util.func public @f(%x: !T, %y: !T) {
  %a = stream.async.fill on(A) %c7_i8, %x[0 to 4 for 4] : i8 -> %x as !T{16} loc("a")
  %b = stream.async.update on(A) %y, %x[0 to 8] : !T{8} -> %x as !T{16} loc("b")
  %c = stream.async.copy on(A) %y[0 to 4], %x[0 to 4], %c4 : !T{8} -> %x as !T{16} loc("c")
  util.return
}
// -----
// an update of all of what is made here is the update: return
util.func public @f(%x: !T, %y: !T) -> !T {
  %a = stream.async.clone on(A) %x : !T{16} -> !T{16} loc("a")
  %b = stream.async.update on(A) %y, %a[0 to 16] : !T{16} -> %a as !T{16} loc("b")
  util.return %b : !T
}
// -----
// not of an argument, nor with another lifetime: clone@a update@b update@c return
util.func public @f(%x: !T, %y: !T, %z: !E) -> (!T, !T) {
  %a = stream.async.clone on(A) %x : !T{16} -> !T{16} loc("a")
  %b = stream.async.update on(A) %y, %x[0 to 16] : !T{16} -> %x as !T{16} loc("b")
  %c = stream.async.update on(A) %z, %a[0 to 16] : !E{16} -> %a as !T{16} loc("c")
  util.return %b, %c : !T, !T
}
// -----
// an update with itself is the target: return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.update on(A) %x, %x[0 to 16] : !T{16} -> %x as !T{16} loc("a")
  util.return %a : !T
}
// -----
// an update with what is in the target already: dispatch@a return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.dispatch on(A) @ex::@d(%x[0 to 16 for 16]) : (!T{16}) -> %x{16} loc("a")
  %b = stream.async.update on(A) %a, %x[0 to 16] : !T{16} -> %x as !T{16} loc("b")
  util.return %b : !T
}
// -----
// not where a user writes: dispatch@a fill@c update@b return
util.func public @f(%x: !T) -> (!T, !T) {
  %a = stream.async.dispatch on(A) @ex::@d(%x[0 to 16 for 16]) : (!T{16}) -> %x{16} loc("a")
  %c = stream.async.fill on(A) %c7_i8, %a[0 to 4 for 4] : i8 -> %a as !T{16} loc("c")
  %b = stream.async.update on(A) %a, %x[0 to 16] : !T{16} -> %x as !T{16} loc("b")
  util.return %b, %c : !T, !T
}
// -----
// nor where a dispatch does: dispatch@a dispatch@c update@b return
util.func public @f(%x: !T) -> (!T, !T) {
  %a = stream.async.dispatch on(A) @ex::@d(%x[0 to 16 for 16]) : (!T{16}) -> %x{16} loc("a")
  %c = stream.async.dispatch on(A) @ex::@d(%a[0 to 16 for 16]) : (!T{16}) -> %a{16} loc("c")
  %b = stream.async.update on(A) %a, %x[0 to 16] : !T{16} -> %x as !T{16} loc("b")
  util.return %b, %c : !T, !T
}
// -----
// nor where one does not say: dispatch@a optimization_barrier@c update@b return
util.func public @f(%x: !T) -> (!T, !T) {
  %a = stream.async.dispatch on(A) @ex::@d(%x[0 to 16 for 16]) : (!T{16}) -> %x{16} loc("a")
  %c = util.optimization_barrier %a : !T loc("c")
  %b = stream.async.update on(A) %a, %x[0 to 16] : !T{16} -> %x as !T{16} loc("b")
  util.return %b, %c : !T, !T
}
// -----
// readers do not matter: dispatch@a clone@c dispatch@d return
util.func public @f(%x: !T) -> (!T, !T, !T) {
  %a = stream.async.dispatch on(A) @ex::@d(%x[0 to 16 for 16]) : (!T{16}) -> %x{16} loc("a")
  %c = stream.async.clone on(A) %a : !T{16} -> !T{16} loc("c")
  %d = stream.async.dispatch on(A) @ex::@d(%a[0 to 16 for 16]) : (!T{16}) -> !T{16} loc("d")
  %b = stream.async.update on(A) %a, %x[0 to 16] : !T{16} -> %x as !T{16} loc("b")
  util.return %b, %c, %d : !T, !T, !T
}
// -----
// a loop that holds what does not say keeps the update: dispatch@a update@b for@c dispatch@d splat@e dispatch@d yield return
util.func public @f(%x: !T, %n: index) -> (!T, !T) {
  %a = stream.async.dispatch on(A) @ex::@d(%x[0 to 16 for 16]) : (!T{16}) -> %x{16} loc("a")
  %b = stream.async.update on(A) %a, %x[0 to 16] : !T{16} -> %x as !T{16} loc("b")
  %c = scf.for %i = %c0 to %n step %c1 iter_args(%y = %a) -> (!T) {
    %e = stream.async.splat on(A) %c7_i8 : i8 -> !T{16} loc("e")
    %d = stream.async.dispatch on(A) @ex::@d(%y[0 to 16 for 16]) : (!T{16}) -> !T{16} loc("d")
    %z = stream.async.dispatch on(A) @ex::@d(%d[0 to 16 for 16], %e[0 to 16 for 16]) : (!T{16}, !T{16}) -> !T{16} loc("d")
    scf.yield %z : !T
  } loc("c")
  util.return %b, %c : !T, !T
}
// -----
// an update with a splat is a fill: fill@b return
util.func public @f(%x: !T) -> !T {
  %a = stream.async.splat on(A) %c7_i8 : i8 -> !T{8} loc("a")
  %b = stream.async.update on(A) %a, %x[0 to 8] : !T{8} -> %x as !T{16} loc("b")
  util.return %b : !T
}
// -----
// an update with a slice is a copy: copy@b return
util.func public @f(%x: !T, %y: !T) -> !T {
  %a = stream.async.slice on(A) %y[4 to 12] : !T{16} -> !T{8} loc("a")
  %b = stream.async.update on(A) %a, %x[0 to 8] : !T{8} -> %x as !T{16} loc("b")
  util.return %b : !T
}
// -----
// not with a slice of another block: slice@a if@c update@b yield yield return
util.func public @f(%c: i1, %x: !T, %y: !T) -> !T {
  %a = stream.async.slice on(A) %y[4 to 12] : !T{16} -> !T{8} loc("a")
  %d = scf.if %c -> (!T) {
    %b = stream.async.update on(A) %a, %x[0 to 8] : !T{8} -> %x as !T{16} loc("b")
    scf.yield %b : !T
  } else {
    scf.yield %x : !T
  } loc("c")
  util.return %d : !T
}
// -----
// a copy of all of its source is an update: update@a copy@b return
util.func public @f(%x: !T, %y: !T) -> !T {
  %a = stream.async.copy on(A) %y[0 to 8], %x[4 to 12], %c8 : !T{8} -> %x as !T{16} loc("a")
  %b = stream.async.copy on(A) %y[0 to 4], %a[4 to 8], %c4 : !T{8} -> %a as !T{16} loc("b")
  util.return %b : !T
}
// -----
// a load from a transferred clone reads a slice since 3.12: slice@c transfer@c load@c return
util.func public @f(%x: !T) -> i32 {
  %a = stream.async.clone on(A) %x : !T{16} -> !T{16} loc("a")
  %b = stream.async.transfer %a : !T{16} from(A) -> to(A) !S{16} loc("b")
  %c = stream.async.load %b[4] : !S{16} -> i32 loc("c")
  util.return %c : i32
}
// -----
// at an offset that is known at run time since 3.12: addi@c slice@c transfer@c load@c return
util.func public @f(%x: !T, %n: index) -> f64 {
  %a = stream.async.clone on(A) %x : !T{16} -> !T{16} loc("a")
  %b = stream.async.transfer %a : !T{16} from(A) -> to(A) !S{16} loc("b")
  %c = stream.async.load %b[%n] : !S{16} -> f64 loc("c")
  util.return %c : f64
}
// -----
// of all bytes since 3.12: transfer@c load@c return
util.func public @f(%x: !T) -> i64 {
  %a = stream.async.clone on(A) %x : !T{8} -> !T{8} loc("a")
  %b = stream.async.transfer %a : !T{8} from(A) -> to(A) !S{8} loc("b")
  %c = stream.async.load %b[0] : !S{8} -> i64 loc("c")
  util.return %c : i64
}
// -----
// not of a transfer that others use, nor without a clone: clone@a transfer@b load@c load@d transfer@e load@g return
util.func public @f(%x: !T) -> (i32, i32, i32) {
  %a = stream.async.clone on(A) %x : !T{16} -> !T{16} loc("a")
  %b = stream.async.transfer %a : !T{16} from(A) -> to(A) !S{16} loc("b")
  %c = stream.async.load %b[4] : !S{16} -> i32 loc("c")
  %d = stream.async.load %b[8] : !S{16} -> i32 loc("d")
  %e = stream.async.transfer %x : !T{16} from(A) -> to(A) !S{16} loc("e")
  %g = stream.async.load %e[8] : !S{16} -> i32 loc("g")
  util.return %c, %d, %g : i32, i32, i32
}
// -----
// what is loaded and bitcast is loaded so, what is bitcast and stored is stored so: load@a store@d return
util.func public @f(%x: !S, %v: f32) -> (f32, !S) {
  %a = stream.async.load %x[0] : !S{16} -> i32 loc("a")
  %b = arith.bitcast %a : i32 to f32 loc("b")
  %c = arith.bitcast %v : f32 to i32 loc("c")
  %d = stream.async.store %c, %x[4] : i32 -> %x as !S{16} loc("d")
  util.return %b, %d : f32, !S
}
// -----
// a bitcast of what others use stays: load@a bitcast@b return
util.func public @f(%x: !S) -> (f32, i32) {
  %a = stream.async.load %x[0] : !S{16} -> i32 loc("a")
  %b = arith.bitcast %a : i32 to f32 loc("b")
  util.return %b, %a : f32, i32
}
// -----
// an unused load, store and dispatch go: return
util.func public @f(%x: !S, %y: !T) {
  %a = stream.async.load %x[0] : !S{16} -> i32 loc("a")
  %b = stream.async.store %c7_i8, %x[4] : i8 -> %x as !S{16} loc("b")
  %c = stream.async.dispatch on(A) @ex::@d(%y[0 to 16 for 16]) : (!T{16}) -> %y{16} loc("c")
  util.return
}
// -----
// kernels of a dispatch are named once: dispatch@a return
util.func public @f(%y: !T) -> !T {
  %a = stream.async.dispatch on(A) {@ex::@d, @ex::@e, @ex::@d}(%y[0 to 16 for 16]) : (!T{16}) -> %y{16} loc("a")
  util.return %a : !T
}
// -----
// what was exported and is imported: return
util.func public @f(%x: !E) -> !E {
  %a = stream.tensor.export on(A) %x : tensor<4xi32> in !E{16} -> !hal.buffer_view loc("a")
  %b = stream.tensor.import on(A) %a : !hal.buffer_view -> tensor<4xi32> in !E{16} loc("b")
  util.return %b : !E
}
// -----
// not on another device: export@a import@b return
util.func public @f(%x: !E) -> !E {
  %a = stream.tensor.export on(A) %x : tensor<4xi32> in !E{16} -> !hal.buffer_view loc("a")
  %b = stream.tensor.import on(B) %a : !hal.buffer_view -> tensor<4xi32> in !E{16} loc("b")
  util.return %b : !E
}
// -----
// what was imported and is exported: return
util.func public @f(%x: !hal.buffer_view) -> !hal.buffer_view {
  %a = stream.tensor.import on(A) %x : !hal.buffer_view -> tensor<4xi32> in !E{16} loc("a")
  %b = stream.tensor.export on(A) %a : tensor<4xi32> in !E{16} -> !hal.buffer_view loc("b")
  util.return %b : !hal.buffer_view
}
// -----
// not with another encoding: import@a export@b return
util.func public @f(%x: !hal.buffer_view) -> !hal.buffer_view {
  %a = stream.tensor.import on(A) %x : !hal.buffer_view -> tensor<4xi32> in !E{16} loc("a")
  %b = stream.tensor.export on(A) %a : tensor<2xi64> in !E{16} -> !hal.buffer_view loc("b")
  util.return %b : !hal.buffer_view
}
// -----
// equal imports and exports are one since 3.12: import@a export@c return
util.func public @f(%x: !hal.buffer_view, %y: !E) -> (!E, !E, !hal.buffer_view, !hal.buffer_view) {
  %a = stream.tensor.import on(A) %x : !hal.buffer_view -> tensor<4xi32> in !E{16} loc("a")
  %b = stream.tensor.import on(A) %x : !hal.buffer_view -> tensor<4xi32> in !E{16} loc("b")
  %c = stream.tensor.export on(A) %y : tensor<4xi32> in !E{16} -> !hal.buffer_view loc("c")
  %d = stream.tensor.export on(A) %y : tensor<4xi32> in !E{16} -> !hal.buffer_view loc("d")
  util.return %a, %b, %c, %d : !E, !E, !hal.buffer_view, !hal.buffer_view
}
// -----
// before 3.12 they are not until 3.11: import@a import@b return
util.func public @f(%x: !hal.buffer_view) -> (!E, !E) {
  %a = stream.tensor.import on(A) %x : !hal.buffer_view -> tensor<4xi32> in !E{16} loc("a")
  %b = stream.tensor.import on(A) %x : !hal.buffer_view -> tensor<4xi32> in !E{16} loc("b")
  util.return %a, %b : !E, !E
}
// -----
// imports on other devices are not one: import@a import@b return
util.func public @f(%x: !hal.buffer_view) -> (!E, !E) {
  %a = stream.tensor.import on(A) %x : !hal.buffer_view -> tensor<4xi32> in !E{16} loc("a")
  %b = stream.tensor.import on(B) %x : !hal.buffer_view -> tensor<4xi32> in !E{16} loc("b")
  util.return %a, %b : !E, !E
}
// -----
// a load from before the clone's rule reads the clone until 3.11: clone@a transfer@b load@c return
util.func public @f(%x: !T) -> i32 {
  %a = stream.async.clone on(A) %x : !T{16} -> !T{16} loc("a")
  %b = stream.async.transfer %a : !T{16} from(A) -> to(A) !S{16} loc("b")
  %c = stream.async.load %b[4] : !S{16} -> i32 loc("c")
  util.return %c : i32
}
// -----
// a constant of other values stays: constant@a return
util.func public @f() -> !K {
  %a = stream.async.constant on(A) : !K{16} = #util.byte_pattern<1> : tensor<4xi32> loc("a")
  util.return %a : !K
}
// -----
// zeros in floating point are bytes: splat@a return
util.func public @f() -> !K {
  %a = stream.async.constant on(A) : !K{16} = dense<0.0> : tensor<4xf32> loc("a")
  util.return %a : !K
}
// -----
// and in two words: splat@a return
util.func public @f() -> !K {
  %a = stream.async.constant on(A) : !K{16} = dense<0.0> : tensor<2xf64> loc("a")
  util.return %a : !K
}
// -----
// fills whose length is known too late: fill@a size@s fill@b return
util.func public @f(%x: !T, %y: !E) -> !T {
  %a = stream.async.fill on(A) %c7_i8, %x[0 to 4 for 4] : i8 -> %x as !T{64} loc("a")
  %s = stream.resource.size %y : !E loc("s")
  %b = stream.async.fill on(A) %c7_i8, %a[4 to 8 for %s] : i8 -> %a as !T{64} loc("b")
  util.return %b : !T
}
// -----
// fills of which nothing is left to fill: fill@a return
util.func public @f(%x: !T, %n: index) -> !T {
  %a = stream.async.fill on(A) %c7_i8, %x[0 to %n for %n] : i8 -> %x as !T{64} loc("a")
  %b = stream.async.fill on(A) %c7_i8, %a[%n to %n for 0] : i8 -> %a as !T{64} loc("b")
  util.return %b : !T
}
// -----
// a dispatch with numbers: dispatch@a return
util.func public @f(%x: !T, %n: index, %m: i32) -> !T {
  %s = arith.addi %n, %c0 : index
  %a = stream.async.dispatch on(A) @ex::@d[%s](%m, %x[0 to %s for 16], %s) : (i32, !T{16}, index) -> !T{16} loc("a")
  util.return %a : !T
}
// -----
// what is loaded and computed with is loaded as it was: load@a negf@b return
util.func public @f(%x: !S) -> f32 {
  %a = stream.async.load %x[0] : !S{16} -> f32 loc("a")
  %b = arith.negf %a : f32 loc("b")
  util.return %b : f32
}
// -----
// fills in another block than their length: divui@s cond_br addi@a+b addi@a+b fill@a return return
util.func public @f(%c: i1, %x: !T, %n: index) -> !T {
  %s = arith.divui %n, %c4 : index loc("s")
  cf.cond_br %c, ^one, ^two
^one:
  %a = stream.async.fill on(A) %c7_i8, %x[0 to 4 for 4] : i8 -> %x as !T{64} loc("a")
  %b = stream.async.fill on(A) %c7_i8, %a[4 to 8 for %s] : i8 -> %a as !T{64} loc("b")
  util.return %b : !T
^two:
  util.return %x : !T
}
// -----
// fills whose length a block in between makes: cond_br size br addi@a+b addi@a+b fill@a return
util.func public @f(%c: i1, %x: !T, %y: !E) -> !T {
  cf.cond_br %c, ^one, ^three
^one:
  %s = stream.resource.size %y : !E loc("s")
  cf.br ^two(%s : index)
^three:
  cf.br ^two(%c8 : index)
^two(%n: index):
  %a = stream.async.fill on(A) %c7_i8, %x[0 to 4 for 4] : i8 -> %x as !T{64} loc("a")
  %b = stream.async.fill on(A) %c7_i8, %a[4 to 8 for %n] : i8 -> %a as !T{64} loc("b")
  util.return %b : !T
}
// -----
// what an if lets go of is gone before ops have their second turn: alloca@a alloca@a select@t+s return
util.func public @f(%c: i1, %x: !T) -> !T {
  %a = stream.async.alloca : !T{16} loc("a")
  %i = scf.if %c -> (!T) {
    scf.yield %x : !T
  } else {
    %k = stream.async.constant : !T{16} = dense<[6, 7, 8, 9]> : tensor<4xi32>
    %n = stream.async.transfer %k : !T{16} -> !T{16}
    %d = stream.async.dispatch @ex::@d(%a[0 to 16 for 16], %n[0 to 16 for 16]) : (!T{16}, !T{16}) -> !T{16}
    scf.yield %d : !T
  }
  %b = stream.async.transfer %a : !T{16} from(A) -> to(A) !T{16} loc("b")
  %s = arith.select %c, %i, %b : !T loc("s")
  %t = arith.select %c, %a, %s : !T loc("t")
  util.return %t : !T
}
