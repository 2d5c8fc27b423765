/**
 * Whether the benchmarks measure once, less and with shorter waits: with CADRE_BENCH_SHORT=1, as in `.ci/run`, which shows that
 * they work. Numbers for a comparison need the repetitions.
 */
export const isShort: boolean = process.env["CADRE_BENCH_SHORT"] === "1";
