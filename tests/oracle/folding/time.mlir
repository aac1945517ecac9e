// waiting for what is there already is nothing: return
util.func public @f(%x: !T) -> !T {
  %t = stream.timepoint.immediate => !stream.timepoint
  %a = stream.timepoint.await %t => %x : !T{16} loc("a")
  util.return %a : !T
}
// -----
// a join of what is there already is there already: return
util.func public @f() -> !stream.timepoint {
  %t = stream.timepoint.immediate => !stream.timepoint
  %u = stream.timepoint.immediate => !stream.timepoint
  %j = stream.timepoint.join max(%t, %u) => !stream.timepoint loc("j")
  util.return %j : !stream.timepoint
}
// -----
// a join of one is that one: return
util.func public @f(%t: !stream.timepoint) -> !stream.timepoint {
  %j = stream.timepoint.join max(%t) => !stream.timepoint loc("j")
  util.return %j : !stream.timepoint
}
// -----
// a join leaves out what is there already, what comes twice, and joins: join@k return
util.func public @f(%t: !stream.timepoint, %u: !stream.timepoint, %v: !stream.timepoint) -> !stream.timepoint {
  %i = stream.timepoint.immediate => !stream.timepoint
  %j = stream.timepoint.join max(%t, %i, %u, %t) => !stream.timepoint loc("j")
  %k = stream.timepoint.join max(%j, %v) => !stream.timepoint loc("k")
  util.return %k : !stream.timepoint
}
// -----
// a join of two stays: join@j return
util.func public @f(%t: !stream.timepoint, %u: !stream.timepoint) -> !stream.timepoint {
  %j = stream.timepoint.join max(%t, %u) => !stream.timepoint loc("j")
  util.return %j : !stream.timepoint
}
// -----
// what was imported is ready: import@a return
util.func public @f(%x: !hal.buffer_view) -> (!E, !stream.timepoint) {
  %a = stream.tensor.import on(A) %x : !hal.buffer_view -> tensor<4xi32> in !E{16} loc("a")
  %b, %t = stream.timepoint.barrier on(A) %a : !E{16} => !stream.timepoint loc("b")
  util.return %b, %t : !E, !stream.timepoint
}
// -----
// an argument may not be: barrier@b return
util.func public @f(%a: !E) -> (!E, !stream.timepoint) {
  %b, %t = stream.timepoint.barrier on(A) %a : !E{16} => !stream.timepoint loc("b")
  util.return %b, %t : !E, !stream.timepoint
}
// -----
// what was awaited is ready when it was awaited: return
util.func public @f(%x: !E, %u: !stream.timepoint) -> (!E, !stream.timepoint) {
  %a = stream.timepoint.await %u => %x : !E{16} loc("a")
  %b, %t = stream.timepoint.barrier on(A) %a : !E{16} => !stream.timepoint loc("b")
  util.return %b, %t : !E, !stream.timepoint
}
// -----
// a wait for good is not seen through: await@a barrier@b return
util.func public @f(%x: !E, %u: !stream.timepoint) -> (!E, !stream.timepoint) {
  %a = stream.timepoint.await sync %u => %x : !E{16} loc("a")
  %b, %t = stream.timepoint.barrier on(A) %a : !E{16} => !stream.timepoint loc("b")
  util.return %b, %t : !E, !stream.timepoint
}
// -----
// an unused wait goes, for good or not: return
util.func public @f(%x: !E, %u: !stream.timepoint) {
  %a = stream.timepoint.await %u => %x : !E{16} loc("a")
  %b = stream.timepoint.await sync %u => %x : !E{16} loc("b")
  util.return
}
// -----
// a wait sinks to its first user, one for good does not: await@b transfer@c await@a dispatch@d return
util.func public @f(%x: !E, %y: !E, %z: !T, %t: !stream.timepoint, %u: !stream.timepoint) -> (!T, !T, !E) {
  %a = stream.timepoint.await %t => %x : !E{16} loc("a")
  %b = stream.timepoint.await sync %u => %y : !E{16} loc("b")
  %c = stream.async.transfer %z : !T{16} from(A) -> to(B) !T{16} loc("c")
  %d = stream.async.dispatch on(A) @ex::@d(%a[0 to 16 for 16]) : (!E{16}) -> !T{16} loc("d")
  util.return %c, %d, %b : !T, !T, !E
}
// -----
// a wait sinks to the block that both users come after: cond_br optimization_barrier@p br optimization_barrier@q br await@a return
util.func public @f(%c: i1, %x: !E, %t: !stream.timepoint) -> !E {
  %a = stream.timepoint.await %t => %x : !E{16} loc("a")
  cf.cond_br %c, ^one, ^two
^one:
  %p = util.optimization_barrier %c : i1 loc("p")
  cf.br ^end
^two:
  %q = util.optimization_barrier %c : i1 loc("q")
  cf.br ^end
^end:
  util.return %a : !E
}
// -----
// waits for one timepoint are one: await@a return
util.func public @f(%x: !E, %y: !E, %t: !stream.timepoint) -> (!E, !E) {
  %a = stream.timepoint.await %t => %x : !E{16} loc("a")
  %b = stream.timepoint.await %t => %y : !E{16} loc("b")
  util.return %a, %b : !E, !E
}
// -----
// not where what the second takes is made in between: await@a dispatch@d await@b return
util.func public @f(%x: !E, %t: !stream.timepoint) -> (!E, !T) {
  %a = stream.timepoint.await %t => %x : !E{16} loc("a")
  %d = stream.async.dispatch on(A) @ex::@d(%a[0 to 16 for 16]) : (!E{16}) -> !T{16} loc("d")
  %b = stream.timepoint.await %t => %d : !T{16} loc("b")
  util.return %a, %b : !E, !T
}
// -----
// nor where the second is for good: await@a await@b return
util.func public @f(%x: !E, %y: !E, %t: !stream.timepoint) -> (!E, !E) {
  %a = stream.timepoint.await %t => %x : !E{16} loc("a")
  %b = stream.timepoint.await sync %t => %y : !E{16} loc("b")
  util.return %a, %b : !E, !E
}
// -----
// a resource is awaited once: await@a return
util.func public @f(%x: !E, %y: !E, %t: !stream.timepoint) -> (!E, !E, !E) {
  %a:3 = stream.timepoint.await %t => %x, %y, %x : !E{16}, !E{16}, !E{16} loc("a")
  util.return %a#0, %a#1, %a#2 : !E, !E, !E
}
// -----
// a fence that is imported and exported is the fence: return
util.func public @f(%f: !hal.fence) -> !hal.fence {
  %t = stream.timepoint.import on(A) %f : (!hal.fence) => !stream.timepoint loc("t")
  %g = stream.timepoint.export on(A) %t => (!hal.fence) loc("g")
  util.return %g : !hal.fence
}
// -----
// a timepoint that was not imported stays exported: export@g return
util.func public @f(%t: !stream.timepoint) -> !hal.fence {
  %g = stream.timepoint.export on(A) %t => (!hal.fence) loc("g")
  util.return %g : !hal.fence
}
// -----
// nor one that was imported as two fences: import@t export@g return
util.func public @f(%f: !hal.fence, %h: !hal.fence) -> !hal.fence {
  %t = stream.timepoint.import on(A) %f, %h : (!hal.fence, !hal.fence) => !stream.timepoint loc("t")
  %g = stream.timepoint.export on(A) %t => (!hal.fence) loc("g")
  util.return %g : !hal.fence
}
// -----
// a fence made to be chained to an imported one is that one: return
util.func public @f(%f: !hal.fence) -> !hal.fence {
  %device = hal.devices.get %c0 : !hal.device
  %t = stream.timepoint.import on(A) %f : (!hal.fence) => !stream.timepoint loc("t")
  %g = hal.fence.create device(%device : !hal.device) flags("None") : !hal.fence loc("g")
  stream.timepoint.chain_external on(A) %t => (%g : !hal.fence) loc("chain")
  util.return %g : !hal.fence
}
// -----
// not an argument, nor what was not imported: import@t chain_external@c chain_external@d return
util.func public @f(%f: !hal.fence, %g: !hal.fence, %u: !stream.timepoint) {
  %t = stream.timepoint.import on(A) %f : (!hal.fence) => !stream.timepoint loc("t")
  stream.timepoint.chain_external on(A) %t => (%g : !hal.fence) loc("c")
  stream.timepoint.chain_external on(A) %u => (%g : !hal.fence) loc("d")
  util.return
}
// -----
// an unused fence goes: return
util.func public @f() {
  %device = hal.devices.get %c0 : !hal.device
  %g = hal.fence.create device(%device : !hal.device) flags("None") : !hal.fence loc("g")
  util.return
}
// -----
// a global is not given what it holds: load@a return
util.func public @f() -> !V {
  %a = util.global.load @g : !V loc("a")
  util.global.store %a, @g : !V loc("b")
  util.return %a : !V
}
// -----
// not what another holds: load@a store@b return
util.func public @f() -> !V {
  %a = util.global.load @h : !V loc("a")
  util.global.store %a, @g : !V loc("b")
  util.return %a : !V
}
// -----
// an unused load of a global goes: return
util.func public @f() {
  %a = util.global.load @h : !V loc("a")
  util.return
}
// -----
// of two storages the last is taken: transients@b return
util.func public @f(%x: !E, %s: !T, %r: !T) -> (!E, !stream.timepoint) {
  %a, %t = stream.resource.transients on(A) %x : !E{16} from %s : !T{64} => !stream.timepoint loc("a")
  %b, %u = stream.resource.transients on(A) %a : !E{16} from %r : !T{64} => !stream.timepoint loc("b")
  util.return %b, %u : !E, !stream.timepoint
}
// -----
// one stays: transients@a return
util.func public @f(%x: !E, %s: !T) -> (!E, !stream.timepoint) {
  %a, %t = stream.resource.transients on(A) %x : !E{16} from %s : !T{64} => !stream.timepoint loc("a")
  util.return %a, %t : !E, !stream.timepoint
}
// -----
// the size of a resource is told by who makes it: dispatch@a return
util.func public @f(%x: !E, %n: index) -> (!T, index) {
  %a = stream.async.dispatch on(A) @ex::@d(%x[0 to 16 for 16]) : (!E{16}) -> !T{%n} loc("a")
  %s = stream.resource.size %a : !T loc("s")
  util.return %a, %s : !T, index
}
// -----
// or by who takes it: dispatch@a return
util.func public @f(%x: !E, %n: index) -> (!T, index) {
  %s = stream.resource.size %x : !E loc("s")
  %a = stream.async.dispatch on(A) @ex::@d(%x[0 to 16 for 16]) : (!E{%n}) -> !T{16} loc("a")
  util.return %a, %s : !T, index
}
// -----
// or by nobody: size@s return
util.func public @f(%x: !E) -> index {
  %s = stream.resource.size %x : !E loc("s")
  util.return %s : index
}
// -----
// the size of a selected resource is selected: size@s size@s select@s return
util.func public @f(%c: i1, %x: !E, %y: !E) -> index {
  %a = arith.select %c, %x, %y : !E loc("a")
  %s = stream.resource.size %a : !E loc("s")
  util.return %s : index
}
// -----
// a size through storage that is kept: fill@a execute@b dispatch@c yield return
util.func public @f(%x: !T, %n: index) -> (!T, !stream.timepoint, index) {
  %a = stream.async.fill on(A) %c7_i8, %x[0 to 4 for 4] : i8 -> %x as !T{%n} loc("a")
  %b, %t = stream.async.execute on(A) with(%a as %y: !T{%n}) -> %a as !T{%n} {
    %c = stream.async.dispatch @ex::@d(%y[0 to 16 for 16]) : (!T{%n}) -> %y{%n} loc("c")
    stream.yield %c : !T{%n}
  } => !stream.timepoint loc("b")
  %s = stream.resource.size %b : !T loc("s")
  util.return %b, %t, %s : !T, !stream.timepoint, index
}
// -----
// of what is selected, the known sizes are selected: select@s dispatch@d return
util.func public @f(%c: i1, %x: !E, %y: !E, %n: index, %m: index) -> (!T, index) {
  %a = arith.select %c, %x, %y : !E loc("a")
  %s = stream.resource.size %a : !E loc("s")
  %d = stream.async.dispatch on(A) @ex::@d(%x[0 to 16 for 16], %y[0 to 16 for 16]) : (!E{%n}, !E{%m}) -> !T{16} loc("d")
  util.return %d, %s : !T, index
}
// -----
// fences of other types are not passed on: get import@t create@g chain_external@d return
util.func public @f(%f: !hal.fence, %h: !hal.fence) -> !hal.fence {
  %device = hal.devices.get %c0 : !hal.device
  %t = stream.timepoint.import on(A) %f, %h : (!hal.fence, !hal.fence) => !stream.timepoint loc("t")
  %g = hal.fence.create device(%device : !hal.device) flags("None") : !hal.fence loc("g")
  stream.timepoint.chain_external on(A) %t => (%g : !hal.fence) loc("d")
  util.return %g : !hal.fence
}
// -----
// a wait for a branch sinks before it: transfer@b await@a if@d dispatch@e yield yield return
util.func public @f(%c: i1, %x: !E, %z: !T, %t: !stream.timepoint) -> (!T, !T) {
  %a = stream.timepoint.await %t => %x : !E{16} loc("a")
  %b = stream.async.transfer %z : !T{16} from(A) -> to(B) !T{16} loc("b")
  %d = scf.if %c -> (!T) {
    %e = stream.async.dispatch on(A) @ex::@d(%a[0 to 16 for 16]) : (!E{16}) -> !T{16} loc("e")
    scf.yield %e : !T
  } else {
    scf.yield %z : !T
  } loc("d")
  util.return %b, %d : !T, !T
}
// -----
// a size through a call that gives back what it takes: dispatch@a call@b return
util.func public @f(%y: !E, %n: index) -> (!T, index) {
  %a = stream.async.dispatch on(A) @ex::@d(%y[0 to 16 for 16]) : (!E{16}) -> !T{%n} loc("a")
  %b = util.call @g1(%a) : (!T) -> %a loc("b")
  %s = stream.resource.size %b : !T loc("s")
  util.return %b, %s : !T, index
}
util.func private @g1(%x: !T) -> %x
