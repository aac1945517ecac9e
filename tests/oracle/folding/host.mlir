// sums of constants and with nothing: return
util.func public @f(%n: index) -> (index, index, index, index) {
  %a = arith.addi %c2, %c3 : index
  %b = arith.addi %n, %c0 : index
  %d = arith.subi %n, %c0 : index
  %e = arith.muli %n, %c1 : index
  util.return %a, %b, %d, %e : index, index, index, index
}
// -----
// products with nothing, bits: return
util.func public @f(%n: index, %c: i1) -> (index, i1, i1, i1, index) {
  %a = arith.muli %n, %c0 : index
  %b = arith.andi %c, %true : i1
  %d = arith.andi %c, %false : i1
  %e = arith.ori %c, %true : i1
  %g = arith.subi %n, %n : index
  util.return %a, %b, %d, %e, %g : index, i1, i1, i1, index
}
// -----
// the same on both sides: return
util.func public @f(%c: i1) -> (i1, i1, i1) {
  %a = arith.andi %c, %c : i1
  %b = arith.ori %c, %c : i1
  %d = arith.xori %c, %c : i1
  util.return %a, %b, %d : i1, i1, i1
}
// -----
// a constant goes to the right: addi@a return
util.func public @f(%n: index) -> index {
  %a = arith.addi %c3, %n : index loc("a")
  util.return %a : index
}
// -----
// an and with what it already holds: andi@a return
util.func public @f(%c: i1, %d: i1) -> (i1, i1) {
  %a = arith.andi %c, %d : i1 loc("a")
  %b = arith.andi %a, %d : i1 loc("b")
  util.return %a, %b : i1, i1
}
// -----
// comparisons: cmpi@g return
util.func public @f(%n: index, %c: i1) -> (i1, i1, i1, i1, i1, i1) {
  %a = arith.cmpi slt, %c2, %c3 : index
  %b = arith.cmpi ult, %c-1, %c3 : index
  %d = arith.cmpi sle, %n, %n : index
  %e = arith.cmpi ne, %c, %false : i1
  %g = arith.cmpi ne, %n, %c3 : index loc("g")
  %h = arith.cmpi eq, %c, %true : i1
  util.return %a, %b, %d, %e, %g, %h : i1, i1, i1, i1, i1, i1
}
// -----
// an extended flag that is not zero is the flag: return
util.func public @f(%c: i1) -> (i1, i1) {
  %a = arith.extui %c : i1 to i32
  %b = arith.cmpi ne, %a, %c0_i32 : i32
  %d = arith.extsi %c : i1 to i64
  %e = arith.cmpi ne, %d, %c0_i64 : i64
  util.return %b, %e : i1, i1
}
// -----
// casts and divisions of constants: return
util.func public @f(%n: i32) -> (i64, i64, i8, index, i32, i32, i32, i32, i32) {
  %a = arith.extsi %c-3_i32 : i32 to i64
  %b = arith.extui %c-3_i32 : i32 to i64
  %d = arith.trunci %c515_i32 : i32 to i8
  %e = arith.index_cast %c-3_i32 : i32 to index
  %g = arith.divsi %n, %c1_i32 : i32
  %h = arith.remsi %n, %c1_i32 : i32
  %i = arith.divsi %c-7_i32, %c2_i32 : i32
  %j = arith.remsi %c-7_i32, %c2_i32 : i32
  %k = arith.divui %c-7_i32, %c2_i32 : i32
  util.return %a, %b, %d, %e, %g, %h, %i, %j, %k : i64, i64, i8, index, i32, i32, i32, i32, i32
}
// -----
// a division by what is not known or not one stays: divui@a remui@b return
util.func public @f(%n: index, %m: index) -> (index, index) {
  %a = arith.divui %n, %m : index loc("a")
  %b = arith.remui %n, %c4 : index loc("b")
  util.return %a, %b : index, index
}
// -----
// what is aligned already: align@a muli@g return
util.func public @f(%n: index, %m: index) -> (index, index, index, index, index) {
  %a = util.align %n, %c64 : index loc("a")
  %b = util.align %a, %c16 : index
  %d = util.align %c60, %c16 : index
  %e = util.align %c64, %c16 : index
  %g = arith.muli %a, %m : index loc("g")
  %h = util.align %g, %c64 : index
  util.return %a, %b, %d, %e, %h : index, index, index, index, index
}
// -----
// and what is not: align@a addi@b align@d align@e return
util.func public @f(%n: index, %m: index) -> (index, index) {
  %a = util.align %n, %c16 : index loc("a")
  %b = arith.addi %a, %m : index loc("b")
  %d = util.align %b, %c16 : index loc("d")
  %e = util.align %a, %c64 : index loc("e")
  util.return %d, %e : index, index
}
// -----
// selects of one value, or with a known condition: return
util.func public @f(%c: i1, %x: !T, %y: !T, %m: i32, %n: i32) -> (!T, !T, i32, i32, i1) {
  %a = arith.select %c, %x, %x : !T
  %b = arith.select %false, %x, %y : !T
  %d = arith.select %true, %m, %n : i32
  %e = arith.select %c, %n, %n : i32
  %g = arith.select %c, %true, %false : i1
  util.return %a, %b, %d, %e, %g : !T, !T, i32, i32, i1
}
// -----
// a select of selects with the same condition: select@b+a select@e+d return
util.func public @f(%c: i1, %x: !T, %y: !T, %z: !T) -> (!T, !T) {
  %a = arith.select %c, %x, %y : !T loc("a")
  %b = arith.select %c, %a, %z : !T loc("b")
  %d = arith.select %c, %x, %y : !T loc("d")
  %e = arith.select %c, %z, %d : !T loc("e")
  util.return %b, %e : !T, !T
}
// -----
// a select with another condition stays: select@a select@b return
util.func public @f(%c: i1, %d: i1, %x: !T, %y: !T, %z: !T) -> !T {
  %a = arith.select %d, %x, %y : !T loc("a")
  %b = arith.select %c, %a, %z : !T loc("b")
  util.return %b : !T
}
// -----
// a negated condition changes the sides: select@a return
util.func public @f(%c: i1, %x: !T, %y: !T) -> !T {
  %n = arith.xori %c, %true : i1 loc("n")
  %a = arith.select %n, %x, %y : !T loc("a")
  util.return %a : !T
}
// -----
// of a branch, too: if@d clone@b yield clone@a yield return
util.func public @f(%c: i1, %x: !T) -> !T {
  %n = arith.xori %c, %true : i1 loc("n")
  %d = scf.if %n -> (!T) {
    %a = stream.async.clone on(A) %x : !T{16} -> !T{16} loc("a")
    scf.yield %a : !T
  } else {
    %b = stream.async.clone on(B) %x : !T{16} -> !T{16} loc("b")
    scf.yield %b : !T
  } loc("d")
  util.return %d : !T
}
// -----
// numbers: select@a return
util.func public @f(%c: i1, %m: i32, %n: i32) -> (i32, i32, i32) {
  %a = arith.select %c, %c7_i32, %c8_i32 : i32 loc("a")
  %p = arith.cmpi eq, %m, %n : i32
  %b = arith.select %p, %m, %n : i32
  %q = arith.cmpi ne, %m, %c3_i32 : i32
  %d = arith.select %q, %c3_i32, %m : i32
  util.return %a, %b, %d : i32, i32, i32
}
// -----
// a comparison of a constant is one with it: cmpi@a cmpi@b return
util.func public @f(%n: i32) -> (i1, i1) {
  %a = arith.cmpi slt, %c7_i32, %n : i32 loc("a")
  %b = arith.cmpi ne, %c7_i32, %n : i32 loc("b")
  util.return %a, %b : i1, i1
}
// -----
// a number that is too large for its type is a negative one: return
util.func public @f() -> (index, i1, i8) {
  %a = arith.index_castui %c-1_i64 : i64 to index
  %b = arith.remui %true, %true : i1
  %d = arith.addi %c127_i8, %c1_i8 : i8
  util.return %a, %b, %d : index, i1, i8
}
// -----
// an assertion that holds goes: assert return
util.func public @f(%c: i1) {
  cf.assert %true, "holds"
  cf.assert %c, "may hold"
  util.return
}
// -----
// what nothing is known of stays: addi@a muli@b andi@d andi@e cmpi@p select@g cmpi@i extui@j cmpi@k return
util.func public @f(%m: index, %n: index, %x: index, %w: index, %y: i8) -> (index, index, index, index, i1, i1) {
  %a = arith.addi %m, %m : index loc("a")
  %b = arith.muli %a, %a : index loc("b")
  %d = arith.andi %m, %n : index loc("d")
  %e = arith.andi %d, %x : index loc("e")
  %p = arith.cmpi eq, %m, %n : index loc("p")
  %g = arith.select %p, %x, %w : index loc("g")
  %i = arith.cmpi slt, %m, %n : index loc("i")
  %j = arith.extui %y : i8 to i32 loc("j")
  %k = arith.cmpi eq, %j, %c0_i32 : i32 loc("k")
  util.return %b, %e, %g, %m, %i, %k : index, index, index, index, i1, i1
}
// -----
// a negation of a negation: return
util.func public @f(%c: i1, %d: i1) -> (i1, i1) {
  %a = arith.xori %c, %true : i1
  %b = arith.xori %a, %true : i1
  %e = arith.xori %c, %d : i1
  %g = arith.xori %c, %e : i1
  util.return %b, %g : i1, i1
}
// -----
// an exclusive or of what is not in the other: xori@a xori@b return
util.func public @f(%c: i1, %d: i1, %e: i1) -> i1 {
  %a = arith.xori %c, %d : i1 loc("a")
  %b = arith.xori %a, %e : i1 loc("b")
  util.return %b : i1
}
// -----
// a negated comparison: cmpi@b+a cmpi@e+d return
util.func public @f(%n: index) -> (i1, i1) {
  %a = arith.cmpi slt, %n, %c3 : index loc("a")
  %b = arith.xori %a, %true : i1 loc("b")
  %d = arith.cmpi ule, %n, %c3 : index loc("d")
  %e = arith.xori %d, %true : i1 loc("e")
  util.return %b, %e : i1, i1
}
// -----
// a condition and its contrary: return
util.func public @f(%c: i1) -> (i1, i1) {
  %n = arith.xori %c, %true : i1
  %a = arith.andi %c, %n : i1
  %b = arith.ori %n, %c : i1
  util.return %a, %b : i1, i1
}
// -----
// a condition and the contrary of another: xori andi@a ori@b return
util.func public @f(%c: i1, %d: i1) -> (i1, i1) {
  %n = arith.xori %c, %true : i1
  %a = arith.andi %d, %n : i1 loc("a")
  %b = arith.ori %n, %d : i1 loc("b")
  util.return %a, %b : i1, i1
}
// -----
// bits and the contrary of some of them: xori@n andi@a return
util.func public @f(%m: i32) -> i32 {
  %n = arith.xori %m, %c7_i32 : i32 loc("n")
  %a = arith.andi %m, %n : i32 loc("a")
  util.return %a : i32
}
// -----
// whatever is done to numbers to no effect: return
util.func public @f(%m: i32, %n: i32) -> (i32, i32, i32, i32, i32) {
  %a = arith.ori %m, %c0_i32 : i32
  %b = arith.divsi %m, %c1_i32 : i32
  %d = arith.remui %m, %c1_i32 : i32
  %e = arith.cmpi ne, %m, %n : i32
  %g = arith.select %e, %m, %n : i32
  %h = arith.remsi %c-9_i32, %c7_i32 : i32
  util.return %a, %b, %d, %g, %h : i32, i32, i32, i32, i32
}
// -----
// alternatives of conjunctions and the other way round: ori@a andi@b andi@d ori@e ori@g andi@h return
util.func public @f(%m: i32, %n: i32) -> (i32, i32, i32) {
  %a = arith.ori %m, %n : i32 loc("a")
  %b = arith.andi %m, %a : i32 loc("b")
  %d = arith.andi %m, %n : i32 loc("d")
  %e = arith.ori %d, %m : i32 loc("e")
  %g = arith.ori %m, %c7_i32 : i32 loc("g")
  %h = arith.andi %g, %c3_i32 : i32 loc("h")
  util.return %b, %e, %h : i32, i32, i32
}
// -----
// what an operand is already is not made again between two ifs: if@g call@p call@q yield return
util.func public @f(%k: i1) {
  scf.if %k {
    util.call @p() : () -> () loc("p")
  } loc("i")
  %j = arith.andi %false, %k : i1 loc("j")
  scf.if %k {
    util.call @q(%j) : (i1) -> () loc("q")
  } loc("g")
  util.return
}
util.func private @p()
util.func private @q(i1)
// -----
// a condition as a number: extui@a xori@b extui@b select@e select@i return
util.func public @f(%c: i1) -> (i32, i32, i32, index) {
  %a = arith.select %c, %c1_i32, %c0_i32 : i32 loc("a")
  %b = arith.select %c, %c0_i32, %c1_i32 : i32 loc("b")
  %e = arith.select %c, %c0_i32, %c-1_i32 : i32 loc("e")
  %i = arith.select %c, %c1, %c0 : index loc("i")
  util.return %a, %b, %e, %i : i32, i32, i32, index
}
// -----
// a condition's negation that a branch hands on: xori@d return
util.func public @f(%c: i1, %x: i32) -> i1 {
  %d = scf.if %c -> (i1) {
    scf.yield %false : i1
  } else {
    scf.yield %true : i1
  } loc("d")
  util.return %d : i1
}
// -----
// selects of numbers of the same condition: select@b+a select@e+d return
util.func public @f(%c: i1, %m: i32, %n: i32, %o: i32) -> (i32, i32) {
  %a = arith.select %c, %m, %n : i32 loc("a")
  %b = arith.select %c, %a, %o : i32 loc("b")
  %d = arith.select %c, %m, %n : i32 loc("d")
  %e = arith.select %c, %o, %d : i32 loc("e")
  util.return %b, %e : i32, i32
}
// -----
// a negated condition changes the sides of numbers too: select@a return
util.func public @f(%c: i1, %m: i32, %n: i32) -> i32 {
  %b = arith.xori %c, %true : i1 loc("b")
  %a = arith.select %b, %m, %n : i32 loc("a")
  util.return %a : i32
}
