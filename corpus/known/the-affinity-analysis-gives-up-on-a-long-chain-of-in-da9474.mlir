// RUN: not iree-opt '--pass-pipeline=builtin.module(iree-stream-annotate-affinities)' %s
// id: the-affinity-analysis-gives-up-on-a-long-chain-of-in-da9474
// title: The affinity analysis gives up on a long chain of in-place writes
// signature: accept/annotate-affinities/no-message
// check: accept
// asked-by: affinity
// verdict: rejected
// guilty-pass: annotate-affinities
// affects: 3.11.0 shows, 3.12.0 shows, 3.13.0 shows
// expected: the program is valid, so every pass accepts it
// actual: annotate-affinities: pass failed: without any diagnostic
// issue: unreported

module {
  util.func public @f() {
    %c7_i32 = arith.constant 7 : i32
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %v3 = stream.async.alloca : !stream.resource<transient>{%c16} loc("line6")
    %v4 = stream.async.fill %c7_i32, %v3[%c0 to %c16 for %c16] : i32 -> %v3 as !stream.resource<transient>{%c16} loc("line7")
    %v5 = stream.async.fill %c7_i32, %v4[%c0 to %c16 for %c16] : i32 -> %v4 as !stream.resource<transient>{%c16} loc("line8")
    %v6 = stream.async.fill %c7_i32, %v5[%c0 to %c16 for %c16] : i32 -> %v5 as !stream.resource<transient>{%c16} loc("line9")
    %v7 = stream.async.fill %c7_i32, %v6[%c0 to %c16 for %c16] : i32 -> %v6 as !stream.resource<transient>{%c16} loc("line10")
    %v8 = stream.async.fill %c7_i32, %v7[%c0 to %c16 for %c16] : i32 -> %v7 as !stream.resource<transient>{%c16} loc("line11")
    %v9 = stream.async.fill %c7_i32, %v8[%c0 to %c16 for %c16] : i32 -> %v8 as !stream.resource<transient>{%c16} loc("line12")
    %v10 = stream.async.fill %c7_i32, %v9[%c0 to %c16 for %c16] : i32 -> %v9 as !stream.resource<transient>{%c16} loc("line13")
    %v11 = stream.async.fill %c7_i32, %v10[%c0 to %c16 for %c16] : i32 -> %v10 as !stream.resource<transient>{%c16} loc("line14")
    %v12 = stream.async.fill %c7_i32, %v11[%c0 to %c16 for %c16] : i32 -> %v11 as !stream.resource<transient>{%c16} loc("line15")
    %v13 = stream.async.fill %c7_i32, %v12[%c0 to %c16 for %c16] : i32 -> %v12 as !stream.resource<transient>{%c16} loc("line16")
    %v14 = stream.async.fill %c7_i32, %v13[%c0 to %c16 for %c16] : i32 -> %v13 as !stream.resource<transient>{%c16} loc("line17")
    %v15 = stream.async.fill %c7_i32, %v14[%c0 to %c16 for %c16] : i32 -> %v14 as !stream.resource<transient>{%c16} loc("line18")
    %v16 = stream.async.fill %c7_i32, %v15[%c0 to %c16 for %c16] : i32 -> %v15 as !stream.resource<transient>{%c16} loc("line19")
    %v17 = stream.async.fill %c7_i32, %v16[%c0 to %c16 for %c16] : i32 -> %v16 as !stream.resource<transient>{%c16} loc("line20")
    %v18 = stream.async.fill %c7_i32, %v17[%c0 to %c16 for %c16] : i32 -> %v17 as !stream.resource<transient>{%c16} loc("line21")
    %v19 = stream.async.fill %c7_i32, %v18[%c0 to %c16 for %c16] : i32 -> %v18 as !stream.resource<transient>{%c16} loc("line22")
    %v20 = stream.async.fill %c7_i32, %v19[%c0 to %c16 for %c16] : i32 -> %v19 as !stream.resource<transient>{%c16} loc("line23")
    %v21 = stream.async.fill %c7_i32, %v20[%c0 to %c16 for %c16] : i32 -> %v20 as !stream.resource<transient>{%c16} loc("line24")
    %v22 = stream.async.fill %c7_i32, %v21[%c0 to %c16 for %c16] : i32 -> %v21 as !stream.resource<transient>{%c16} loc("line25")
    %v23 = stream.async.fill %c7_i32, %v22[%c0 to %c16 for %c16] : i32 -> %v22 as !stream.resource<transient>{%c16} loc("line26")
    %v24 = stream.async.fill %c7_i32, %v23[%c0 to %c16 for %c16] : i32 -> %v23 as !stream.resource<transient>{%c16} loc("line27")
    %v25 = stream.async.fill %c7_i32, %v24[%c0 to %c16 for %c16] : i32 -> %v24 as !stream.resource<transient>{%c16} loc("line28")
    %v26 = stream.async.fill %c7_i32, %v25[%c0 to %c16 for %c16] : i32 -> %v25 as !stream.resource<transient>{%c16} loc("line29")
    %v27 = stream.async.fill %c7_i32, %v26[%c0 to %c16 for %c16] : i32 -> %v26 as !stream.resource<transient>{%c16} loc("line30")
    %v28 = stream.async.fill %c7_i32, %v27[%c0 to %c16 for %c16] : i32 -> %v27 as !stream.resource<transient>{%c16} loc("line31")
    %v29 = stream.async.fill %c7_i32, %v28[%c0 to %c16 for %c16] : i32 -> %v28 as !stream.resource<transient>{%c16} loc("line32")
    %v30 = stream.async.fill %c7_i32, %v29[%c0 to %c16 for %c16] : i32 -> %v29 as !stream.resource<transient>{%c16} loc("line33")
    %v31 = stream.async.fill %c7_i32, %v30[%c0 to %c16 for %c16] : i32 -> %v30 as !stream.resource<transient>{%c16} loc("line34")
    %v32 = stream.async.fill %c7_i32, %v31[%c0 to %c16 for %c16] : i32 -> %v31 as !stream.resource<transient>{%c16} loc("line35")
    %v33 = stream.async.fill %c7_i32, %v32[%c0 to %c16 for %c16] : i32 -> %v32 as !stream.resource<transient>{%c16} loc("line36")
    %v34 = stream.async.fill %c7_i32, %v33[%c0 to %c16 for %c16] : i32 -> %v33 as !stream.resource<transient>{%c16} loc("line37")
    %v35 = stream.async.fill %c7_i32, %v34[%c0 to %c16 for %c16] : i32 -> %v34 as !stream.resource<transient>{%c16} loc("line38")
    %v36 = stream.async.fill %c7_i32, %v35[%c0 to %c16 for %c16] : i32 -> %v35 as !stream.resource<transient>{%c16} loc("line39")
    %v37 = stream.async.fill %c7_i32, %v36[%c0 to %c16 for %c16] : i32 -> %v36 as !stream.resource<transient>{%c16} loc("line40")
    %v38 = stream.async.fill %c7_i32, %v37[%c0 to %c16 for %c16] : i32 -> %v37 as !stream.resource<transient>{%c16} loc("line41")
    %v39 = stream.async.fill %c7_i32, %v38[%c0 to %c16 for %c16] : i32 -> %v38 as !stream.resource<transient>{%c16} loc("line42")
    %v40 = stream.async.fill %c7_i32, %v39[%c0 to %c16 for %c16] : i32 -> %v39 as !stream.resource<transient>{%c16} loc("line43")
    %v41 = stream.async.fill %c7_i32, %v40[%c0 to %c16 for %c16] : i32 -> %v40 as !stream.resource<transient>{%c16} loc("line44")
    %v42 = stream.async.fill %c7_i32, %v41[%c0 to %c16 for %c16] : i32 -> %v41 as !stream.resource<transient>{%c16} loc("line45")
    %v43 = stream.async.fill %c7_i32, %v42[%c0 to %c16 for %c16] : i32 -> %v42 as !stream.resource<transient>{%c16} loc("line46")
    %v44 = stream.async.fill %c7_i32, %v43[%c0 to %c16 for %c16] : i32 -> %v43 as !stream.resource<transient>{%c16} loc("line47")
    %v45 = stream.async.fill %c7_i32, %v44[%c0 to %c16 for %c16] : i32 -> %v44 as !stream.resource<transient>{%c16} loc("line48")
    %v46 = stream.async.fill %c7_i32, %v45[%c0 to %c16 for %c16] : i32 -> %v45 as !stream.resource<transient>{%c16} loc("line49")
    %v47 = stream.async.fill %c7_i32, %v46[%c0 to %c16 for %c16] : i32 -> %v46 as !stream.resource<transient>{%c16} loc("line50")
    %v48 = stream.async.fill %c7_i32, %v47[%c0 to %c16 for %c16] : i32 -> %v47 as !stream.resource<transient>{%c16} loc("line51")
    %v49 = stream.async.fill %c7_i32, %v48[%c0 to %c16 for %c16] : i32 -> %v48 as !stream.resource<transient>{%c16} loc("line52")
    %v50 = stream.async.fill %c7_i32, %v49[%c0 to %c16 for %c16] : i32 -> %v49 as !stream.resource<transient>{%c16} loc("line53")
    %v51 = stream.async.fill %c7_i32, %v50[%c0 to %c16 for %c16] : i32 -> %v50 as !stream.resource<transient>{%c16} loc("line54")
    %v52 = stream.async.fill %c7_i32, %v51[%c0 to %c16 for %c16] : i32 -> %v51 as !stream.resource<transient>{%c16} loc("line55")
    %v53 = stream.async.fill %c7_i32, %v52[%c0 to %c16 for %c16] : i32 -> %v52 as !stream.resource<transient>{%c16} loc("line56")
    %v54 = stream.async.fill %c7_i32, %v53[%c0 to %c16 for %c16] : i32 -> %v53 as !stream.resource<transient>{%c16} loc("line57")
    %v55 = stream.async.fill %c7_i32, %v54[%c0 to %c16 for %c16] : i32 -> %v54 as !stream.resource<transient>{%c16} loc("line58")
    %v56 = stream.async.fill %c7_i32, %v55[%c0 to %c16 for %c16] : i32 -> %v55 as !stream.resource<transient>{%c16} loc("line59")
    %v57 = stream.async.fill %c7_i32, %v56[%c0 to %c16 for %c16] : i32 -> %v56 as !stream.resource<transient>{%c16} loc("line60")
    %v58 = stream.async.fill %c7_i32, %v57[%c0 to %c16 for %c16] : i32 -> %v57 as !stream.resource<transient>{%c16} loc("line61")
    %v59 = stream.async.fill %c7_i32, %v58[%c0 to %c16 for %c16] : i32 -> %v58 as !stream.resource<transient>{%c16} loc("line62")
    %v60 = stream.async.fill %c7_i32, %v59[%c0 to %c16 for %c16] : i32 -> %v59 as !stream.resource<transient>{%c16} loc("line63")
    %v61 = stream.async.fill %c7_i32, %v60[%c0 to %c16 for %c16] : i32 -> %v60 as !stream.resource<transient>{%c16} loc("line64")
    %v62 = stream.async.fill %c7_i32, %v61[%c0 to %c16 for %c16] : i32 -> %v61 as !stream.resource<transient>{%c16} loc("line65")
    %v63 = stream.async.fill %c7_i32, %v62[%c0 to %c16 for %c16] : i32 -> %v62 as !stream.resource<transient>{%c16} loc("line66")
    %v64 = stream.async.fill %c7_i32, %v63[%c0 to %c16 for %c16] : i32 -> %v63 as !stream.resource<transient>{%c16} loc("line67")
    %v65 = stream.async.fill %c7_i32, %v64[%c0 to %c16 for %c16] : i32 -> %v64 as !stream.resource<transient>{%c16} loc("line68")
    %v66 = stream.async.fill %c7_i32, %v65[%c0 to %c16 for %c16] : i32 -> %v65 as !stream.resource<transient>{%c16} loc("line69")
    %v67 = stream.async.fill %c7_i32, %v66[%c0 to %c16 for %c16] : i32 -> %v66 as !stream.resource<transient>{%c16} loc("line70")
    %v68 = stream.async.fill %c7_i32, %v67[%c0 to %c16 for %c16] : i32 -> %v67 as !stream.resource<transient>{%c16} loc("line71")
    %v69 = stream.async.fill %c7_i32, %v68[%c0 to %c16 for %c16] : i32 -> %v68 as !stream.resource<transient>{%c16} loc("line72")
    stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@d(%v69[%c0 to %c16 for %c16]) : (!stream.resource<transient>{%c16}) -> () loc("line73")
    util.return loc("line74")
  }
}
