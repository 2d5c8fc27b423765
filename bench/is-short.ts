/**
 * Whether CADRE_BENCH_SHORT=1 asks the benchmarks to measure once, with less work and shorter waits, as in `.ci/run`. That shows that
 * they work. Numbers for a comparison need the repetitions.
 */
export const isShort: boolean = process.env["CADRE_BENCH_SHORT"] === "1";
