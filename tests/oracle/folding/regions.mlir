// a region that does nothing is what it was given: return
util.func public @f(%x: !T) -> (!T, !stream.timepoint) {
  %a, %t = stream.async.execute on(A) with(%x as %y: !T{16}) -> !T{16} {
    stream.yield %y : !T{16}
  } => !stream.timepoint loc("a")
  util.return %a, %t : !T, !stream.timepoint
}
// -----
// a region waits for nothing that is there already: execute@a splat@b yield return
util.func public @f() -> (!T, !stream.timepoint) {
  %i = stream.timepoint.immediate => !stream.timepoint
  %a, %t = stream.async.execute on(A) await(%i) => with() -> !T{16} {
    %b = stream.async.splat %c7_i8 : i8 -> !T{16} loc("b")
    stream.yield %b : !T{16}
  } => !stream.timepoint loc("a")
  util.return %a, %t : !T, !stream.timepoint
}
// -----
// what the host would wait for the region waits for: execute@a dispatch@b yield return
util.func public @f(%x: !T, %u: !stream.timepoint) -> (!T, !stream.timepoint) {
  %w = stream.timepoint.await %u => %x : !T{16} loc("w")
  %a, %t = stream.async.execute on(A) with(%w as %y: !T{16}) -> !T{16} {
    %b = stream.async.dispatch @ex::@d(%y[0 to 16 for 16]) : (!T{16}) -> !T{16} loc("b")
    stream.yield %b : !T{16}
  } => !stream.timepoint loc("a")
  util.return %a, %t : !T, !stream.timepoint
}
// -----
// two waits are joined, and what the region waited for is forgotten: join@a execute@a dispatch@b yield return
util.func public @f(%x: !T, %z: !T, %u: !stream.timepoint, %v: !stream.timepoint, %o: !stream.timepoint) -> (!T, !stream.timepoint) {
  %w = stream.timepoint.await %u => %x : !T{16} loc("w")
  %r = stream.timepoint.await %v => %z : !T{16} loc("r")
  %a, %t = stream.async.execute on(A) await(%o) => with(%w as %y: !T{16}, %r as %q: !T{16}) -> !T{16} {
    %b = stream.async.dispatch @ex::@d(%y[0 to 16 for 16], %q[0 to 16 for 16]) : (!T{16}, !T{16}) -> !T{16} loc("b")
    stream.yield %b : !T{16}
  } => !stream.timepoint loc("a")
  util.return %a, %t : !T, !stream.timepoint
}
// -----
// a wait for good stays the host's: await@w execute@a dispatch@b yield return
util.func public @f(%x: !T, %u: !stream.timepoint) -> (!T, !stream.timepoint) {
  %w = stream.timepoint.await sync %u => %x : !T{16} loc("w")
  %a, %t = stream.async.execute on(A) with(%w as %y: !T{16}) -> !T{16} {
    %b = stream.async.dispatch @ex::@d(%y[0 to 16 for 16]) : (!T{16}) -> !T{16} loc("b")
    stream.yield %b : !T{16}
  } => !stream.timepoint loc("a")
  util.return %a, %t : !T, !stream.timepoint
}
// -----
// captures that are not used or come twice go, and results that are yielded twice: execute@a dispatch@b yield return
util.func public @f(%x: !T, %z: !T) -> (!T, !T, !stream.timepoint) {
  %a:2, %t = stream.async.execute on(A) with(%x as %y: !T{16}, %z as %p: !T{16}, %x as %q: !T{16}) -> (!T{16}, !T{16}) {
    %b = stream.async.dispatch @ex::@d(%y[0 to 16 for 16], %q[0 to 8 for 8]) : (!T{16}, !T{16}) -> !T{16} loc("b")
    stream.yield %b, %b : !T{16}, !T{16}
  } => !stream.timepoint loc("a")
  util.return %a#0, %a#1, %t : !T, !T, !stream.timepoint
}
// -----
// ties move with their captures: execute@a dispatch@b dispatch@c yield return
util.func public @f(%x: !T, %z: !T, %o: !T) -> (!T, !T, !stream.timepoint) {
  %a:2, %t = stream.async.execute on(A) with(%o as %n: !T{16}, %x as %y: !T{16}, %z as %p: !T{16}) -> (!T{16}, %z{16}) {
    %b = stream.async.dispatch @ex::@d(%y[0 to 16 for 16]) : (!T{16}) -> !T{16} loc("b")
    %c = stream.async.dispatch @ex::@d(%p[0 to 16 for 16]) : (!T{16}) -> %p{16} loc("c")
    stream.yield %b, %c : !T{16}, !T{16}
  } => !stream.timepoint loc("a")
  util.return %a#0, %a#1, %t : !T, !T, !stream.timepoint
}
// -----
// a result in the storage of a capture is tied to it: execute@a fill@b yield return
util.func public @f(%x: !T) -> (!T, !stream.timepoint) {
  %a, %t = stream.async.execute on(A) with(%x as %y: !T{16}) -> !T{16} {
    %b = stream.async.fill %c7_i8, %y[0 to 4 for 4] : i8 -> %y as !T{16} loc("b")
    stream.yield %b : !T{16}
  } => !stream.timepoint loc("a")
  util.return %a, %t : !T, !stream.timepoint
}
// -----
// a region that nobody waits for and whose results nobody takes goes: return
util.func public @f(%x: !T) {
  %a, %t = stream.async.execute on(A) with(%x as %y: !T{16}) -> !T{16} {
    %b = stream.async.fill %c7_i8, %y[0 to 4 for 4] : i8 -> %y as !T{16} loc("b")
    stream.yield %b : !T{16}
  } => !stream.timepoint loc("a")
  util.return
}
// -----
// a wave loses captures and results, too: execute@a concurrent@w dispatch@b fill@c yield yield return
util.func public @f(%x: !T, %z: !T) -> (!T, !T, !stream.timepoint) {
  %a:2, %t = stream.async.execute on(A) with(%x as %y: !T{16}, %z as %p: !T{16}) -> (!T{16}, !T{16}) {
    %w:3 = stream.async.concurrent with(%y as %i: !T{16}, %p as %j: !T{16}, %y as %k: !T{16}) -> (!T{16}, !T{16}, !T{16}) {
      %b = stream.async.dispatch @ex::@d(%i[0 to 16 for 16], %k[0 to 8 for 8]) : (!T{16}, !T{16}) -> !T{16} loc("b")
      %c = stream.async.fill %c7_i8, %j[0 to 4 for 4] : i8 -> %j as !T{16} loc("c")
      stream.yield %b, %c, %b : !T{16}, !T{16}, !T{16}
    } loc("w")
    stream.yield %w#2, %w#1 : !T{16}, !T{16}
  } => !stream.timepoint loc("a")
  util.return %a#0, %a#1, %t : !T, !T, !stream.timepoint
}
// -----
// an unused wave goes: execute@a dispatch@b yield return
util.func public @f(%x: !T) -> (!T, !stream.timepoint) {
  %a, %t = stream.async.execute on(A) with(%x as %y: !T{16}) -> !T{16} {
    %w = stream.async.concurrent with(%y as %i: !T{16}) -> !T{16} {
      %c = stream.async.clone %i : !T{16} -> !T{16} loc("c")
      stream.yield %c : !T{16}
    } loc("w")
    %b = stream.async.dispatch @ex::@d(%y[0 to 16 for 16]) : (!T{16}) -> !T{16} loc("b")
    stream.yield %b : !T{16}
  } => !stream.timepoint loc("a")
  util.return %a, %t : !T, !stream.timepoint
}
// -----
// what both branches hand on is selected: select@d return
util.func public @f(%c: i1, %x: !T, %y: !T) -> !T {
  %d = scf.if %c -> (!T) {
    scf.yield %x : !T
  } else {
    scf.yield %y : !T
  } loc("d")
  util.return %d : !T
}
// -----
// a scalar too, next to what is made within: select@d if@d clone@a yield yield return
util.func public @f(%c: i1, %x: !T, %m: i32, %n: i32) -> (!T, i32, !T) {
  %d:3 = scf.if %c -> (!T, i32, !T) {
    %a = stream.async.clone on(A) %x : !T{16} -> !T{16} loc("a")
    scf.yield %a, %m, %x : !T, i32, !T
  } else {
    scf.yield %x, %n, %x : !T, i32, !T
  } loc("d")
  util.return %d#0, %d#1, %d#2 : !T, i32, !T
}
// -----
// within a branch the condition is known: if@d optimization_barrier@a yield optimization_barrier@b yield return
util.func public @f(%c: i1) -> i1 {
  %d = scf.if %c -> (i1) {
    %a = util.optimization_barrier %c : i1 loc("a")
    scf.yield %a : i1
  } else {
    %b = util.optimization_barrier %c : i1 loc("b")
    scf.yield %b : i1
  } loc("d")
  util.return %d : i1
}
// -----
// a known condition leaves one branch: optimization_barrier@a return
util.func public @f(%x: i32) -> i32 {
  %d = scf.if %true -> (i32) {
    %a = util.optimization_barrier %x : i32 loc("a")
    scf.yield %a : i32
  } else {
    %b = util.optimization_barrier %x : i32 loc("b")
    scf.yield %b : i32
  } loc("d")
  util.return %d : i32
}
// -----
// or nothing: return
util.func public @f(%x: i32) {
  scf.if %false {
    %a = util.optimization_barrier %x : i32 loc("a")
  } loc("d")
  util.return
}
// -----
// an empty else goes: if@d optimization_barrier@a yield return
util.func public @f(%c: i1, %x: i32) {
  scf.if %c {
    %a = util.optimization_barrier %x : i32 loc("a")
  } else {
  } loc("d")
  util.return
}
// -----
// two with one condition are one: if@e optimization_barrier@a optimization_barrier@b yield optimization_barrier@g yield return
util.func public @f(%c: i1, %x: i32, %y: i32) -> i32 {
  scf.if %c {
    %a = util.optimization_barrier %x : i32 loc("a")
  } loc("d")
  %e = scf.if %c -> (i32) {
    %b = util.optimization_barrier %x : i32 loc("b")
    scf.yield %b : i32
  } else {
    %g = util.optimization_barrier %y : i32 loc("g")
    scf.yield %g : i32
  } loc("e")
  util.return %e : i32
}
// -----
// the second takes what the first yields: if@e optimization_barrier@a optimization_barrier@b yield optimization_barrier@h optimization_barrier@g yield return
util.func public @f(%c: i1, %x: i32, %y: i32) -> (i32, i32) {
  %d = scf.if %c -> (i32) {
    %a = util.optimization_barrier %x : i32 loc("a")
    scf.yield %a : i32
  } else {
    %h = util.optimization_barrier %y : i32 loc("h")
    scf.yield %h : i32
  } loc("d")
  %e = scf.if %c -> (i32) {
    %b = util.optimization_barrier %d : i32 loc("b")
    scf.yield %b : i32
  } else {
    %g = util.optimization_barrier %d : i32 loc("g")
    scf.yield %g : i32
  } loc("e")
  util.return %d, %e : i32, i32
}
// -----
// with the negated condition the branches change places: xori if@e optimization_barrier@a optimization_barrier@g yield optimization_barrier@b yield return
util.func public @f(%c: i1, %x: i32, %y: i32) -> (i32, i1) {
  %n = arith.xori %c, %true : i1
  scf.if %c {
    %a = util.optimization_barrier %x : i32 loc("a")
  } loc("d")
  %e = scf.if %n -> (i32) {
    %b = util.optimization_barrier %x : i32 loc("b")
    scf.yield %b : i32
  } else {
    %g = util.optimization_barrier %y : i32 loc("g")
    scf.yield %g : i32
  } loc("e")
  util.return %e, %n : i32, i1
}
// -----
// not with another condition: if@d optimization_barrier@a yield if@e optimization_barrier@b yield return
util.func public @f(%c: i1, %n: i1, %x: i32) {
  scf.if %c {
    %a = util.optimization_barrier %x : i32 loc("a")
  } loc("d")
  scf.if %n {
    %b = util.optimization_barrier %x : i32 loc("b")
  } loc("e")
  util.return
}
// -----
// one within another is one: andi@d if@d optimization_barrier@a yield return
util.func public @f(%c: i1, %n: i1, %x: i32) {
  scf.if %c {
    scf.if %n {
      %a = util.optimization_barrier %x : i32 loc("a")
    } loc("e")
  } loc("d")
  util.return
}
// -----
// with results that are the same without the inner: andi@d select@d if@d optimization_barrier@a yield yield return
util.func public @f(%c: i1, %n: i1, %x: i32, %y: i32) -> (i32, i32) {
  %d:2 = scf.if %c -> (i32, i32) {
    %e = scf.if %n -> (i32) {
      %a = util.optimization_barrier %x : i32 loc("a")
      scf.yield %a : i32
    } else {
      scf.yield %y : i32
    } loc("e")
    scf.yield %e, %x : i32, i32
  } else {
    scf.yield %y, %y : i32, i32
  } loc("d")
  util.return %d#0, %d#1 : i32, i32
}
// -----
// not where they are others: if@d if@e optimization_barrier@a yield yield yield yield return
util.func public @f(%c: i1, %n: i1, %x: i32, %y: i32) -> i32 {
  %d = scf.if %c -> (i32) {
    %e = scf.if %n -> (i32) {
      %a = util.optimization_barrier %x : i32 loc("a")
      scf.yield %a : i32
    } else {
      scf.yield %y : i32
    } loc("e")
    scf.yield %e : i32
  } else {
    scf.yield %x : i32
  } loc("d")
  util.return %d : i32
}
// -----
// what says whether the condition holds is the condition: if@d optimization_barrier@a yield return
util.func public @f(%c: i1, %x: i32) -> i1 {
  %d = scf.if %c -> (i1) {
    %a = util.optimization_barrier %x : i32 loc("a")
    scf.yield %true : i1
  } else {
    scf.yield %false : i1
  } loc("d")
  util.return %d : i1
}
// -----
// a loop without turns is what it starts with: return
util.func public @f(%x: i32, %n: index) -> (i32, i32) {
  %a = scf.for %i = %c4 to %c4 step %c1 iter_args(%y = %x) -> (i32) {
    %b = util.optimization_barrier %y : i32
    scf.yield %b : i32
  }
  %d = scf.for %i = %n to %n step %c1 iter_args(%y = %x) -> (i32) {
    %b = util.optimization_barrier %y : i32
    scf.yield %b : i32
  }
  util.return %a, %d : i32, i32
}
// -----
// a loop of one turn is its body: optimization_barrier@b return
util.func public @f(%x: i32) -> (i32, index) {
  %a:2 = scf.for %i = %c4 to %c8 step %c5 iter_args(%y = %x, %j = %c0) -> (i32, index) {
    %b = util.optimization_barrier %y : i32 loc("b")
    scf.yield %b, %i : i32, index
  }
  util.return %a#0, %a#1 : i32, index
}
// -----
// a loop of one turn with an unused result: optimization_barrier@b return
util.func public @f(%x: i32) -> i32 {
  %a:2 = scf.for %i = %c4 to %c8 step %c5 iter_args(%y = %x, %j = %x) -> (i32, i32) {
    %b:2 = util.optimization_barrier %y, %j : i32, i32 loc("b")
    scf.yield %b#0, %b#1 : i32, i32
  }
  util.return %a#0 : i32
}
// -----
// what a loop hands on unchanged is what it starts with: for optimization_barrier@b yield return
util.func public @f(%x: i32, %n: index) -> (i32, i32) {
  %a:2 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x, %z = %x) -> (i32, i32) {
    %b:2 = util.optimization_barrier %y, %z : i32, i32 loc("b")
    scf.yield %b#0, %z : i32, i32
  }
  util.return %a#0, %a#1 : i32, i32
}
// -----
// what a loop carries twice it carries once: for optimization_barrier@b yield return
util.func public @f(%x: i32, %n: index) -> (i32, i32) {
  %a:2 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x, %z = %x) -> (i32, i32) {
    %b:2 = util.optimization_barrier %y, %z : i32, i32 loc("b")
    scf.yield %b#0, %b#0 : i32, i32
  }
  util.return %a#0, %a#1 : i32, i32
}
// -----
// what nobody needs is not carried: for optimization_barrier@b yield return
util.func public @f(%x: i32, %w: i32, %n: index) -> i32 {
  %a:2 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x, %z = %w) -> (i32, i32) {
    %b:2 = util.optimization_barrier %y, %y : i32, i32 loc("b")
    scf.yield %b#0, %b#1 : i32, i32
  }
  util.return %a#0 : i32
}
// -----
// a loop of two turns is sure to end with what its body yields: for optimization_barrier@b yield return
util.func public @f(%x: i32, %w: i32) -> i32 {
  %a = scf.for %i = %c0 to %c2 step %c1 iter_args(%y = %x) -> (i32) {
    %b = util.optimization_barrier %y : i32 loc("b")
    scf.yield %w : i32
  }
  util.return %a : i32
}
// -----
// a while whose condition never holds is its first half: optimization_barrier@b return
util.func public @f(%x: i32) -> i32 {
  %a = scf.while (%y = %x) : (i32) -> (i32) {
    %b = util.optimization_barrier %y : i32 loc("b")
    scf.condition(%false) %b : i32
  } do {
  ^bb0(%z: i32):
    scf.yield %z : i32
  }
  util.return %a : i32
}
// -----
// in its body the condition holds: while optimization_barrier@b condition optimization_barrier@d yield return
util.func public @f(%x: i32) -> i32 {
  %a:2 = scf.while (%y = %x) : (i32) -> (i32, i1) {
    %b:2 = util.optimization_barrier %y, %true : i32, i1 loc("b")
    scf.condition(%b#1) %b#0, %b#1 : i32, i1
  } do {
  ^bb0(%z: i32, %h: i1):
    %d:2 = util.optimization_barrier %z, %h : i32, i1 loc("d")
    scf.yield %d#0 : i32
  }
  util.return %a#0 : i32
}
// -----
// what is handed on in another order is put in order: while optimization_barrier@b condition optimization_barrier@d yield return
util.func public @f(%x: i32, %w: i64) -> (i64, i32) {
  %a:2 = scf.while (%y = %x, %v = %w) : (i32, i64) -> (i64, i32) {
    %b = util.optimization_barrier %true : i1 loc("b")
    scf.condition(%b) %v, %y : i64, i32
  } do {
  ^bb0(%z: i64, %h: i32):
    %d:2 = util.optimization_barrier %z, %h : i64, i32 loc("d")
    scf.yield %d#1, %d#0 : i32, i64
  }
  util.return %a#0, %a#1 : i64, i32
}
// -----
// a branch on its condition goes into the body: while optimization_barrier@b condition optimization_barrier@d optimization_barrier@e yield return
util.func public @f(%x: i32) -> i32 {
  %a = scf.while (%y = %x) : (i32) -> (i32) {
    %b:2 = util.optimization_barrier %y, %true : i32, i1 loc("b")
    %g = scf.if %b#1 -> (i32) {
      %d = util.optimization_barrier %b#0 : i32 loc("d")
      scf.yield %d : i32
    } else {
      scf.yield %y : i32
    }
    scf.condition(%b#1) %g : i32
  } do {
  ^bb0(%z: i32):
    %e = util.optimization_barrier %z : i32 loc("e")
    scf.yield %e : i32
  }
  util.return %a : i32
}
// -----
// not one that does something otherwise: while optimization_barrier@b if optimization_barrier@d yield optimization_barrier@h yield condition optimization_barrier@e yield return
util.func public @f(%x: i32) -> i32 {
  %a = scf.while (%y = %x) : (i32) -> (i32) {
    %b:2 = util.optimization_barrier %y, %true : i32, i1 loc("b")
    %g = scf.if %b#1 -> (i32) {
      %d = util.optimization_barrier %b#0 : i32 loc("d")
      scf.yield %d : i32
    } else {
      %h = util.optimization_barrier %b#0 : i32 loc("h")
      scf.yield %h : i32
    }
    scf.condition(%b#1) %g : i32
  } do {
  ^bb0(%z: i32):
    %e = util.optimization_barrier %z : i32 loc("e")
    scf.yield %e : i32
  }
  util.return %a : i32
}
// -----
// a while that carries what nobody needs: while optimization_barrier@b condition yield return
util.func public @f(%x: i32, %w: i64) -> i32 {
  %a:2 = scf.while (%y = %x, %v = %w) : (i32, i64) -> (i32, i64) {
    %b:2 = util.optimization_barrier %y, %true : i32, i1 loc("b")
    scf.condition(%b#1) %b#0, %v : i32, i64
  } do {
  ^bb0(%z: i32, %h: i64):
    scf.yield %z, %h : i32, i64
  }
  util.return %a#0 : i32
}
// -----
// a pure loop that nobody needs goes: return
util.func public @f(%x: !T, %n: index) {
  %a = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> (!T) {
    %b = stream.async.transfer %y : !T{16} from(A) -> to(B) !T{16} loc("b")
    scf.yield %b : !T
  }
  util.return
}
// -----
// a wave that takes nothing and gives nothing goes: execute@a dispatch@b yield return
util.func public @f(%x: !T) -> (!T, !stream.timepoint) {
  %a, %t = stream.async.execute on(A) with(%x as %y: !T{16}) -> !T{16} {
    stream.async.concurrent with(%y as %i: !T{16}) {
      stream.yield
    } loc("w")
    %b = stream.async.dispatch @ex::@d(%y[0 to 16 for 16]) : (!T{16}) -> !T{16} loc("b")
    stream.yield %b : !T{16}
  } => !stream.timepoint loc("a")
  util.return %a, %t : !T, !stream.timepoint
}
// -----
// two with one condition, one of them without an else: if@e optimization_barrier@a optimization_barrier@g yield optimization_barrier@b yield return
util.func public @f(%c: i1, %x: i32) {
  scf.if %c {
    %a = util.optimization_barrier %x : i32 loc("a")
  } else {
    %b = util.optimization_barrier %x : i32 loc("b")
  } loc("d")
  scf.if %c {
    %g = util.optimization_barrier %x : i32 loc("g")
  } loc("e")
  util.return
}
// -----
// one within another that has an else stays: if@d if@e optimization_barrier@a yield yield optimization_barrier@b yield return
util.func public @f(%c: i1, %d: i1, %x: i32) {
  scf.if %c {
    scf.if %d {
      %a = util.optimization_barrier %x : i32 loc("a")
    } loc("e")
  } else {
    %b = util.optimization_barrier %x : i32 loc("b")
  } loc("d")
  util.return
}
// -----
// nor where without the inner it yields something else: if@d if@e optimization_barrier@a yield yield yield yield return
util.func public @f(%c: i1, %d: i1, %x: i32, %y: i32, %z: i32) -> i32 {
  %r = scf.if %c -> (i32) {
    %i = scf.if %d -> (i32) {
      %a = util.optimization_barrier %x : i32 loc("a")
      scf.yield %a : i32
    } else {
      scf.yield %y : i32
    } loc("e")
    scf.yield %i : i32
  } else {
    scf.yield %z : i32
  } loc("d")
  util.return %r : i32
}
// -----
// after one with the negated condition: if@e optimization_barrier@g yield optimization_barrier@a yield return
util.func public @f(%c: i1, %x: i32) {
  %n = arith.xori %c, %true : i1
  scf.if %n {
    %a = util.optimization_barrier %n : i1 loc("a")
  } loc("d")
  scf.if %c {
    %g = util.optimization_barrier %x : i32 loc("g")
  } loc("e")
  util.return
}
// -----
// a loop whose last turn is before its first: return
util.func public @f(%x: i32) -> i32 {
  %a = scf.for %i = %c8 to %c4 step %c1 iter_args(%y = %x) -> (i32) {
    %b = util.optimization_barrier %y : i32
    scf.yield %b : i32
  }
  util.return %a : i32
}
// -----
// a loop of unknown steps stays: for@a optimization_barrier@b yield return
util.func public @f(%x: i32, %n: index) -> i32 {
  %a = scf.for %i = %c0 to %c4 step %n iter_args(%y = %x) -> (i32) {
    %b = util.optimization_barrier %y : i32 loc("b")
    scf.yield %b : i32
  } loc("a")
  util.return %a : i32
}
// -----
// a branch with a known condition and nothing to do goes: return
util.func public @f(%x: i32) {
  scf.if %false {
    %b = util.optimization_barrier %x : i32
  }
  util.return
}
// -----
// an unused result of two goes: if@d optimization_barrier@a yield optimization_barrier@b yield return
util.func public @f(%c: i1, %x: i32) -> i32 {
  %r:2 = scf.if %c -> (i32, i32) {
    %a:2 = util.optimization_barrier %x, %x : i32, i32 loc("a")
    scf.yield %a#0, %a#1 : i32, i32
  } else {
    %b:2 = util.optimization_barrier %x, %x : i32, i32 loc("b")
    scf.yield %b#0, %b#1 : i32, i32
  } loc("d")
  util.return %r#1 : i32
}
// -----
// a loop that compares once: while@a optimization_barrier cmpi optimization_barrier condition cmpi optimization_barrier optimization_barrier cmpi optimization_barrier optimization_barrier yield return
util.func public @f(%x: i32, %n: i32, %m: i32) -> i32 {
  %a = scf.while (%y = %x) : (i32) -> (i32) {
    %z = util.optimization_barrier %y : i32
    %c = arith.cmpi slt, %z, %n : i32
    %o = util.optimization_barrier %c : i1
    scf.condition(%c) %z : i32
  } do {
  ^bb0(%z: i32):
    %c = arith.cmpi slt, %z, %m : i32
    %d = util.optimization_barrier %c : i1
    %e = util.optimization_barrier %z : i32
    %g = arith.cmpi slt, %m, %z : i32
    %h = util.optimization_barrier %g : i1
    %i = util.optimization_barrier %e : i32
    scf.yield %i : i32
  } loc("a")
  util.return %a : i32
}
// -----
// a loop whose condition is handed on twice: while@a optimization_barrier trunci condition optimization_barrier extui yield return
util.func public @f(%x: i32) {
  %a:2 = scf.while (%y = %x) : (i32) -> (i1, i1) {
    %z = util.optimization_barrier %y : i32
    %c = arith.trunci %z : i32 to i1
    scf.condition(%c) %c, %c : i1, i1
  } do {
  ^bb0(%p: i1, %q: i1):
    %d:2 = util.optimization_barrier %p, %q : i1, i1
    %e = arith.extui %d#0 : i1 to i32
    scf.yield %e : i32
  } loc("a")
  util.return
}
// -----
// a branch before the condition that does something else stays: while@a optimization_barrier trunci if@d optimization_barrier yield optimization_barrier yield condition optimization_barrier yield return
util.func public @f(%x: i32) -> i32 {
  %a = scf.while (%y = %x) : (i32) -> (i32) {
    %z = util.optimization_barrier %y : i32
    %c = arith.trunci %z : i32 to i1
    %r = scf.if %c -> (i32) {
      %g = util.optimization_barrier %z : i32
      scf.yield %g : i32
    } else {
      %h = util.optimization_barrier %z : i32
      scf.yield %h : i32
    } loc("d")
    scf.condition(%c) %r : i32
  } do {
  ^bb0(%q: i32):
    %d = util.optimization_barrier %q : i32
    scf.yield %d : i32
  } loc("a")
  util.return %a : i32
}
// -----
// a branch before the condition whose result goes on with another value: while@a optimization_barrier trunci condition optimization_barrier optimization_barrier yield return
util.func public @f(%x: i32, %w: i32) -> (i32, i32) {
  %a:2 = scf.while (%y = %x) : (i32) -> (i32, i32) {
    %z = util.optimization_barrier %y : i32
    %c = arith.trunci %z : i32 to i1
    %r = scf.if %c -> (i32) {
      %g:2 = util.optimization_barrier %z, %c7_i32 : i32, i32
      scf.yield %g#0 : i32
    } else {
      scf.yield %w : i32
    } loc("d")
    scf.condition(%c) %r, %z : i32, i32
  } do {
  ^bb0(%q: i32, %s: i32):
    %d:2 = util.optimization_barrier %q, %s : i32, i32
    scf.yield %d#0 : i32
  } loc("a")
  util.return %a#0, %a#1 : i32, i32
}
// -----
// a loop of two turns with a branch on another condition stays: while@a optimization_barrier trunci trunci if@d optimization_barrier yield condition optimization_barrier yield return
util.func public @f(%x: i32) -> i32 {
  %a = scf.while (%y = %x) : (i32) -> (i32) {
    %z = util.optimization_barrier %y : i32
    %c = arith.trunci %z : i32 to i1
    %e = arith.trunci %y : i32 to i1
    scf.if %e {
      %g = util.optimization_barrier %z : i32
    } loc("d")
    scf.condition(%c) %z : i32
  } do {
  ^bb0(%q: i32):
    %d = util.optimization_barrier %q : i32
    scf.yield %d : i32
  } loc("a")
  util.return %a : i32
}
// -----
// within a branch its condition is known to all: if@d optimization_barrier@a optimization_barrier@b yield optimization_barrier@e yield return
util.func public @f(%c: i1) {
  scf.if %c {
    %a = util.optimization_barrier %c : i1 loc("a")
    %b = util.optimization_barrier %c : i1 loc("b")
  } else {
    %e = util.optimization_barrier %c : i1 loc("e")
  } loc("d")
  util.return
}
// -----
// what a loop hands on without anybody taking it goes: for@a optimization_barrier@b yield return
util.func public @f(%x: i32, %n: index) -> i32 {
  %a:2 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x, %z = %x) -> (i32, i32) {
    %b = util.optimization_barrier %y : i32 loc("b")
    scf.yield %b, %z : i32, i32
  } loc("a")
  util.return %a#0 : i32
}
// -----
// a loop that always carries the same number: for@a optimization_barrier@b yield return
util.func public @f(%n: index) -> i32 {
  %a = scf.for %i = %c0 to %n step %c1 iter_args(%y = %c7_i32) -> (i32) {
    %b = util.optimization_barrier %y : i32 loc("b")
    scf.yield %c7_i32 : i32
  } loc("a")
  util.return %a : i32
}
// -----
// what a loop starts with is not used in it: while@a optimization_barrier@b condition optimization_barrier@d yield return
util.func public @f(%x: i32) -> i32 {
  %a = scf.while (%y = %x) : (i32) -> (i32) {
    %b:2 = util.optimization_barrier %x, %true : i32, i1 loc("b")
    scf.condition(%b#1) %b#0 : i32
  } do {
  ^bb0(%z: i32):
    %d = util.optimization_barrier %z : i32 loc("d")
    scf.yield %d : i32
  } loc("a")
  util.return %a : i32
}
// -----
// a comparison that the condition of a loop decides: while optimization_barrier cmpi condition optimization_barrier@d optimization_barrier@e yield return
util.func public @f(%x: i32, %n: i32) -> i32 {
  %a = scf.while (%y = %x) : (i32) -> (i32) {
    %z = util.optimization_barrier %y : i32
    %c = arith.cmpi slt, %z, %n : i32
    scf.condition(%c) %z : i32
  } do {
  ^bb0(%z: i32):
    %c = arith.cmpi slt, %z, %n : i32
    %d = util.optimization_barrier %c : i1 loc("d")
    %e = util.optimization_barrier %z : i32 loc("e")
    scf.yield %e : i32
  }
  util.return %a : i32
}
// -----
// the contrary of the condition of a loop: while optimization_barrier cmpi condition optimization_barrier@d optimization_barrier@e yield return
util.func public @f(%x: i32, %n: i32) -> i32 {
  %a = scf.while (%y = %x) : (i32) -> (i32) {
    %z = util.optimization_barrier %y : i32
    %c = arith.cmpi slt, %z, %n : i32
    scf.condition(%c) %z : i32
  } do {
  ^bb0(%z: i32):
    %c = arith.cmpi sge, %z, %n : i32
    %d = util.optimization_barrier %c : i1 loc("d")
    %e = util.optimization_barrier %z : i32 loc("e")
    scf.yield %e : i32
  }
  util.return %a : i32
}
// -----
// what the condition of a loop does not decide: while optimization_barrier cmpi condition cmpi optimization_barrier@d optimization_barrier@e yield return
util.func public @f(%x: i32, %n: i32) -> i32 {
  %a = scf.while (%y = %x) : (i32) -> (i32) {
    %z = util.optimization_barrier %y : i32
    %c = arith.cmpi slt, %z, %n : i32
    scf.condition(%c) %z : i32
  } do {
  ^bb0(%z: i32):
    %c = arith.cmpi sle, %z, %n : i32
    %d = util.optimization_barrier %c : i1 loc("d")
    %e = util.optimization_barrier %z : i32 loc("e")
    scf.yield %e : i32
  }
  util.return %a : i32
}
// -----
// what a loop's condition tells of its body is made before the loop, and allocas sink past it: alloca@a alloca@a while@w condition update@k yield return
util.func public @f() {
  %a = stream.async.alloca : !T{16} loc("a")
  %b = stream.async.transfer %a : !T{16} from(A) -> to(A) !T{16} loc("b")
  %w:3 = scf.while (%p = %b, %q = %b) : (!T, !T) -> (index, !T, !T) {
    %c = arith.cmpi ne, %c7, %c0 : index
    scf.condition(%c) %c7, %p, %q : index, !T, !T
  } do {
  ^bb0(%i: index, %p: !T, %q: !T):
    %d = arith.cmpi eq, %i, %c0 : index
    %e = arith.select %d, %b, %p : !T
    %k = stream.async.copy %e[0 to 16], %q[0 to 16], %c16 : !T{16} -> %q as !T{16} loc("k")
    scf.yield %k, %k : !T, !T
  } loc("w")
  util.return
}
