/**
 * Whether the benchmarks measure once and wait little: with CADRE_BENCH_SHORT=1, as in `.ci/run`, which shows that they work and what
 * they print. Numbers for a comparison need the repetitions.
 */
export const isShort: boolean = process.env["CADRE_BENCH_SHORT"] === "1";
