import { isShort } from "./is-short.ts";
import { comparePairs } from "./pairs.ts";

/** Compares Cadre with and without ten tools of the program and three hooks that decide nothing: CPU per step, in pairs. */
const changed = { CADRE_BENCH_EXTENDED: "1" };
await comparePairs({
  name: "ten tools and three hooks",
  agents: isShort ? 100 : 1000,
  pairs: isShort ? 1 : 5,
  changed,
});
