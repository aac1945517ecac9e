// a block that only one leads to goes on there: optimization_barrier@a return
util.func public @f(%x: i32) -> i32 {
  cf.br ^one(%x : i32)
^one(%y: i32):
  %a = util.optimization_barrier %y : i32 loc("a")
  util.return %a : i32
}
// -----
// blocks that only go on are passed: cond_br optimization_barrier@a br optimization_barrier@b return
util.func public @f(%c: i1, %x: i32, %w: i32) -> i32 {
  cf.cond_br %c, ^one, ^two(%w : i32)
^one:
  %a = util.optimization_barrier %x : i32 loc("a")
  cf.br ^two(%a : i32)
^two(%y: i32):
  cf.br ^three(%y : i32)
^three(%z: i32):
  %b = util.optimization_barrier %z : i32 loc("b")
  util.return %b : i32
}
// -----
// a known condition leads one way: optimization_barrier@a return
util.func public @f(%x: i32) -> i32 {
  cf.cond_br %false, ^one, ^two
^one:
  %b = util.optimization_barrier %x : i32 loc("b")
  util.return %b : i32
^two:
  %a = util.optimization_barrier %x : i32 loc("a")
  util.return %a : i32
}
// -----
// two ways to one block are a select: select optimization_barrier@a return
util.func public @f(%c: i1, %x: i32, %y: i32) -> (i32, i32) {
  cf.cond_br %c, ^one(%x, %x : i32, i32), ^one(%y, %x : i32, i32)
^one(%z: i32, %w: i32):
  %a:2 = util.optimization_barrier %z, %w : i32, i32 loc("a")
  util.return %a#0, %a#1 : i32, i32
}
// -----
// not where others lead there, too: cond_br cond_br optimization_barrier@a return
util.func public @f(%c: i1, %d: i1, %x: i32, %y: i32) -> i32 {
  cf.cond_br %d, ^two, ^one(%y : i32)
^two:
  cf.cond_br %c, ^one(%x : i32), ^one(%y : i32)
^one(%z: i32):
  %a = util.optimization_barrier %z : i32 loc("a")
  util.return %a : i32
}
// -----
// the same ways to one block are one: optimization_barrier@a return
util.func public @f(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^one(%x : i32), ^one(%x : i32)
^one(%z: i32):
  %a = util.optimization_barrier %z : i32 loc("a")
  util.return %a : i32
}
// -----
// what was decided is decided: cond_br optimization_barrier@a return optimization_barrier@b return
util.func public @f(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^one, ^two
^one:
  %a = util.optimization_barrier %x : i32 loc("a")
  cf.cond_br %c, ^three, ^two
^two:
  %b = util.optimization_barrier %x : i32 loc("b")
  util.return %b : i32
^three:
  util.return %a : i32
}
// -----
// on the other way, too: cond_br optimization_barrier@a return optimization_barrier@b return
util.func public @f(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^two, ^one
^one:
  %a = util.optimization_barrier %x : i32 loc("a")
  cf.cond_br %c, ^two, ^three
^two:
  %b = util.optimization_barrier %x : i32 loc("b")
  util.return %b : i32
^three:
  util.return %a : i32
}
// -----
// where one way leads the condition is known: cond_br optimization_barrier@a return optimization_barrier@b return
util.func public @f(%c: i1) -> i1 {
  cf.cond_br %c, ^one, ^two
^one:
  %a = util.optimization_barrier %c : i1 loc("a")
  util.return %a : i1
^two:
  %b = util.optimization_barrier %c : i1 loc("b")
  util.return %b : i1
}
// -----
// an argument that is the same from everywhere goes: cond_br optimization_barrier@a br optimization_barrier@b br optimization_barrier@e return
util.func public @f(%c: i1, %x: i32, %w: i32) -> (i32, i32) {
  cf.cond_br %c, ^one, ^two
^one:
  %a = util.optimization_barrier %x : i32 loc("a")
  cf.br ^three(%a, %w : i32, i32)
^two:
  %b:2 = util.optimization_barrier %x, %w : i32, i32 loc("b")
  cf.br ^three(%x, %w : i32, i32)
^three(%y: i32, %z: i32):
  %e:2 = util.optimization_barrier %y, %z : i32, i32 loc("e")
  util.return %e#0, %e#1 : i32, i32
}
// -----
// what goes round without a use goes: br optimization_barrier@a cond_br return
util.func public @f(%c: i1, %x: i32, %n: index) {
  cf.br ^one(%n : index)
^one(%i: index):
  %a = util.optimization_barrier %c : i1 loc("a")
  %j = arith.addi %i, %c1 : index
  cf.cond_br %a, ^one(%j : index), ^two
^two:
  util.return
}
// -----
// blocks that lead to each other are not passed: br br
util.func public @f(%c: i1) {
  cf.br ^one
^one:
  cf.br ^two
^two:
  cf.br ^one
}
// -----
// a block that nothing leads to goes: return
util.func public @f(%c: i1) {
  util.return
^one:
  %a = util.optimization_barrier %c : i1 loc("a")
  cf.br ^one
}
// -----
// a splat sinks to the block that both users come after: cond_br optimization_barrier@d br splat@a fill@b fill@e return
util.func public @f(%c: i1) -> (!T, !T) {
  %a = stream.async.splat on(A) %c7_i8 : i8 -> !T{16} loc("a")
  cf.cond_br %c, ^one, ^two
^one:
  %d = util.optimization_barrier %c : i1 loc("d")
  cf.br ^two
^two:
  %b = stream.async.fill on(A) %c1_i8, %a[0 to 4 for 4] : i8 -> %a as !T{16} loc("b")
  cf.cond_br %c, ^three, ^three
^three:
  %e = stream.async.fill on(A) %c2_i8, %a[0 to 4 for 4] : i8 -> %a as !T{16} loc("e")
  util.return %b, %e : !T, !T
}
// -----
// past a block that goes on to where others go, too: cond_br optimization_barrier@a br optimization_barrier@b cond_br optimization_barrier@e return
util.func public @f(%c: i1, %d: i1, %x: i32, %y: i32) -> i32 {
  cf.cond_br %c, ^one, ^two
^one:
  %a = util.optimization_barrier %x : i32 loc("a")
  cf.br ^three(%a : i32)
^two:
  %b = util.optimization_barrier %y : i32 loc("b")
  cf.cond_br %d, ^three(%b : i32), ^four(%y : i32)
^three(%z: i32):
  cf.br ^four(%z : i32)
^four(%w: i32):
  %e = util.optimization_barrier %w : i32 loc("e")
  util.return %e : i32
}
// -----
// not past one whose argument is used further on: cond_br optimization_barrier@a br optimization_barrier@e return
util.func public @f(%c: i1, %d: i1, %x: i32, %y: i32) -> i32 {
  cf.cond_br %c, ^one, ^two(%y : i32)
^one:
  %a = util.optimization_barrier %x : i32 loc("a")
  cf.br ^two(%a : i32)
^two(%z: i32):
  cf.br ^three
^three:
  %e = util.optimization_barrier %z : i32 loc("e")
  util.return %e : i32
}
// -----
// a block that goes on to itself is not passed: cond_br br return
util.func public @f(%c: i1) {
  cf.cond_br %c, ^one, ^two
^one:
  cf.br ^one
^two:
  util.return
}
// -----
// blocks that do the same may become one, with what differs as arguments: cond_br optimization_barrier@a br optimization_barrier@b br optimization_barrier@e return
util.func public @f(%c: i1, %x: i32, %y: i32) -> i32 {
  cf.cond_br %c, ^one, ^two
^one:
  %a = util.optimization_barrier %x : i32 loc("a")
  cf.br ^three(%a : i32)
^two:
  %b = util.optimization_barrier %y : i32 loc("b")
  cf.br ^three(%b : i32)
^three(%z: i32):
  %e = util.optimization_barrier %z : i32 loc("e")
  util.return %e : i32
}
// -----
// with one argument for what is the same twice: cond_br optimization_barrier@a br optimization_barrier@b br return
util.func public @f(%c: i1, %x: i32, %y: i32) -> (i32, i32) {
  cf.cond_br %c, ^one, ^two
^one:
  %a:3 = util.optimization_barrier %x, %x, %y : i32, i32, i32 loc("a")
  cf.br ^three(%a#0, %a#1 : i32, i32)
^two:
  %b:3 = util.optimization_barrier %y, %y, %x : i32, i32, i32 loc("b")
  cf.br ^three(%b#0, %b#1 : i32, i32)
^three(%z: i32, %w: i32):
  util.return %z, %w : i32, i32
}
// -----
// not with regions within: cond_br if@a optimization_barrier@x yield br if@b optimization_barrier@y yield br return
util.func public @f(%c: i1, %d: i1) {
  cf.cond_br %c, ^one, ^two
^one:
  scf.if %d {
    %x = util.optimization_barrier %d : i1 loc("x")
  } loc("a")
  cf.br ^three
^two:
  scf.if %d {
    %y = util.optimization_barrier %d : i1 loc("y")
  } loc("b")
  cf.br ^three
^three:
  util.return
}
// -----
// nor with other arguments: cond_br optimization_barrier@a optimization_barrier@e cond_br optimization_barrier@b optimization_barrier@g cond_br return
util.func public @f(%c: i1, %d: i1, %x: i32, %y: i32) {
  cf.cond_br %c, ^one(%x : i32), ^two(%d : i1)
^one(%v: i32):
  %a = util.optimization_barrier %y : i32 loc("a")
  %e = util.optimization_barrier %v : i32 loc("e")
  cf.cond_br %d, ^one(%e : i32), ^three
^two(%w: i1):
  %b = util.optimization_barrier %y : i32 loc("b")
  %g = util.optimization_barrier %w : i1 loc("g")
  cf.cond_br %d, ^two(%g : i1), ^three
^three:
  util.return
}
// -----
// nor with other arguments for the same successors: cond_br optimization_barrier@a br optimization_barrier@b br cond_br
util.func public @f(%c: i1, %d: i1, %x: i32, %y: i32) {
  cf.cond_br %c, ^one(%x : i32), ^two(%d : i1)
^one(%v: i32):
  %a = util.optimization_barrier %v : i32 loc("a")
  cf.br ^three
^two(%w: i1):
  %b = util.optimization_barrier %w : i1 loc("b")
  cf.br ^three
^three:
  cf.cond_br %d, ^one(%y : i32), ^two(%c : i1)
}
// -----
// nor with more ops, or others: cond_br cond_br optimization_barrier@a br optimization_barrier@b optimization_barrier@g br optimization_barrier@h br return
util.func public @f(%c: i1, %d: i1, %x: i32, %s: !T) {
  cf.cond_br %c, ^one, ^zero
^zero:
  cf.cond_br %d, ^two, ^four
^one:
  %a = util.optimization_barrier %x : i32 loc("a")
  cf.br ^three
^two:
  %b = util.optimization_barrier %x : i32 loc("b")
  %g = util.optimization_barrier %x : i32 loc("g")
  cf.br ^three
^four:
  %h = util.optimization_barrier %s : !T loc("h")
  cf.br ^three
^three:
  util.return
}
// -----
// nor of values of other types: cond_br size@a br size@b br optimization_barrier return
util.func public @f(%c: i1, %x: !T, %y: !E) -> index {
  cf.cond_br %c, ^one, ^two
^one:
  %a = stream.resource.size %x : !T loc("a")
  cf.br ^three(%a : index)
^two:
  %b = stream.resource.size %y : !E loc("b")
  cf.br ^three(%b : index)
^three(%z: index):
  %e = util.optimization_barrier %z : index loc("e")
  util.return %e : index
}
// -----
// nor where they use their own values otherwise: cond_br optimization_barrier@a optimization_barrier@p divui@m br optimization_barrier@b optimization_barrier@q divui@n br return
util.func public @f(%c: i1, %x: index, %y: index) -> index {
  cf.cond_br %c, ^one, ^two
^one:
  %a = util.optimization_barrier %x : index loc("a")
  %p = util.optimization_barrier %y : index loc("p")
  %m = arith.divui %a, %p : index loc("m")
  cf.br ^three(%m : index)
^two:
  %b = util.optimization_barrier %x : index loc("b")
  %q = util.optimization_barrier %y : index loc("q")
  %n = arith.divui %q, %b : index loc("n")
  cf.br ^three(%n : index)
^three(%z: index):
  util.return %z : index
}
// -----
// nor where others use them: cond_br return optimization_barrier@a cond_br optimization_barrier@b cond_br extui return
util.func public @f(%c: i1, %d: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^one, ^zero
^zero:
  util.return %x : i32
^one:
  %a = util.optimization_barrier %d : i1 loc("a")
  cf.cond_br %a, ^three, ^two
^two:
  %b = util.optimization_barrier %d : i1 loc("b")
  cf.cond_br %b, ^three, ^two
^three:
  %e = arith.extui %a : i1 to i32
  util.return %e : i32
}
// -----
// constants that were just made are compared, too: cond_br splat@a br splat@b br return
util.func public @f(%c: i1) -> !T {
  cf.cond_br %c, ^one, ^two
^one:
  %a = stream.async.splat on(A) %c16843009_i32 : i32 -> !T{16} loc("a")
  cf.br ^three(%a : !T)
^two:
  %b = stream.async.splat on(A) %c16843009_i32 : i32 -> !T{16} loc("b")
  cf.br ^three(%b : !T)
^three(%z: !T):
  util.return %z : !T
}
// -----
// also where they differ: cond_br splat@a br splat@b br return
util.func public @f(%c: i1) -> !T {
  cf.cond_br %c, ^one, ^two
^one:
  %a = stream.async.splat on(A) %c16843009_i32 : i32 -> !T{16} loc("a")
  cf.br ^three(%a : !T)
^two:
  %b = stream.async.splat on(A) %c33686018_i32 : i32 -> !T{16} loc("b")
  cf.br ^three(%b : !T)
^three(%z: !T):
  util.return %z : !T
}
// -----
// other attributes keep blocks apart: cond_br splat@a br splat@b br return
util.func public @f(%c: i1) -> !T {
  cf.cond_br %c, ^one, ^two
^one:
  %a = stream.async.splat on(A) %c7_i8 : i8 -> !T{16} loc("a")
  cf.br ^three(%a : !T)
^two:
  %b = stream.async.splat on(B) %c7_i8 : i8 -> !T{16} loc("b")
  cf.br ^three(%b : !T)
^three(%z: !T):
  util.return %z : !T
}
// -----
// a wait sinks over a loop of blocks: br optimization_barrier@a cond_br await@w return
util.func public @f(%c: i1, %x: !E, %t: !stream.timepoint) -> (!E, i1) {
  %w = stream.timepoint.await %t => %x : !E{16} loc("w")
  cf.br ^one(%c : i1)
^one(%i: i1):
  %a = util.optimization_barrier %i : i1 loc("a")
  cf.cond_br %a, ^one(%a : i1), ^two
^two:
  util.return %w, %a : !E, i1
}
// -----
// a block after another, past both: cond_br optimization_barrier@a br optimization_barrier@b cond_br optimization_barrier@g br optimization_barrier@e return
util.func public @f(%c: i1, %d: i1, %x: i32, %y: i32) -> i32 {
  cf.cond_br %c, ^one, ^two
^one:
  %a = util.optimization_barrier %x : i32 loc("a")
  cf.br ^three(%a : i32)
^two:
  %b = util.optimization_barrier %y : i32 loc("b")
  cf.cond_br %d, ^three(%b : i32), ^five(%y : i32)
^three(%z: i32):
  cf.br ^four(%z : i32)
^four(%w: i32):
  %g = util.optimization_barrier %w : i32 loc("g")
  cf.br ^five(%g : i32)
^five(%v: i32):
  %e = util.optimization_barrier %v : i32 loc("e")
  util.return %e : i32
}
// -----
// blocks that only lead to each other: return
util.func public @f(%c: i1) {
  util.return
^one:
  cf.br ^two(%z : i1)
^two(%z: i1):
  cf.br ^one
}
// -----
// what is known is known to all of the block: cond_br optimization_barrier@a return optimization_barrier@b return
util.func public @f(%c: i1) -> (i1, i1) {
  cf.cond_br %c, ^one, ^two
^one:
  %a:2 = util.optimization_barrier %c, %c : i1, i1 loc("a")
  util.return %a#0, %a#1 : i1, i1
^two:
  %b = util.optimization_barrier %c : i1 loc("b")
  util.return %b, %c : i1, i1
}
// -----
// a wait for users in blocks in any order: await@w cond_br return optimization_barrier@a br optimization_barrier@b br
util.func public @f(%c: i1, %x: !E, %t: !stream.timepoint) -> !E {
  %w = stream.timepoint.await %t => %x : !E{16} loc("w")
  cf.cond_br %c, ^one, ^two
^three(%z: !E):
  util.return %z : !E
^one:
  %a = util.optimization_barrier %w : !E loc("a")
  cf.br ^three(%a : !E)
^two:
  %b = util.optimization_barrier %w : !E loc("b")
  cf.br ^three(%b : !E)
}
// -----
// a wait for a block that nothing leads to, too: await@a return
util.func public @f(%c: i1, %x: !E, %t: !stream.timepoint) -> !E {
  %a = stream.timepoint.await %t => %x : !E{16} loc("a")
  util.return %a : !E
^one:
  %b = stream.async.clone on(A) %a : !E{16} -> !E{16} loc("b")
  util.return %b : !E
}
// -----
// a wait for two such blocks and one in use: cond_br optimization_barrier@p br await@a return
util.func public @f(%c: i1, %x: !E, %t: !stream.timepoint) -> !E {
  %a = stream.timepoint.await %t => %x : !E{16} loc("a")
  cf.cond_br %c, ^zero, ^two
^zero:
  %p = util.optimization_barrier %c : i1 loc("p")
  cf.br ^two
^one:
  %b = stream.async.clone on(A) %a : !E{16} -> !E{16} loc("b")
  util.return %b : !E
^two:
  util.return %a : !E
^three:
  %d = stream.async.clone on(A) %a : !E{16} -> !E{16} loc("d")
  util.return %d : !E
}
// -----
// a wait for a loop of blocks and what follows: optimization_barrier@p br await@w optimization_barrier@a cond_br return
util.func public @f(%c: i1, %x: !E, %t: !stream.timepoint) -> !E {
  %w = stream.timepoint.await %t => %x : !E{16} loc("w")
  %p = util.optimization_barrier %c : i1 loc("p")
  cf.br ^one(%p : i1)
^one(%i: i1):
  %a:2 = util.optimization_barrier %i, %w : i1, !E loc("a")
  cf.cond_br %a#0, ^one(%a#0 : i1), ^two
^two:
  util.return %w : !E
}
