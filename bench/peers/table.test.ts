import { expect, test } from "vitest";
import { combine, renderTable } from "./table.ts";

const bare = { wallMs: 1500, cpuMs: 300, peakMiB: 100.4 };

test("rounds are combined into the least of each number", () => {
  const other = { wallMs: 1200, cpuMs: 330, peakMiB: 99 };
  expect(combine([bare, other])).toEqual({ wallMs: 1200, cpuMs: 300, peakMiB: 99 });
});

test("one failed round is a failure and no number", () => {
  expect(combine([bare, { failure: "out of memory" }])).toEqual({
    failure: "1 of 2 rounds failed: out of memory",
  });
});

test("a table has a row for each program, with its CPU time divided by the first one's", () => {
  const rows = [
    { name: "bare loop", isDurable: false, outcome: bare },
    { name: "Cadre", isDurable: true, outcome: { ...bare, cpuMs: 450 } },
    { name: "broken", isDurable: false, outcome: { failure: "a | b\n c" } },
  ];
  expect(renderTable("100 sub-agents", 300, rows)).toBe(
    `
| 100 sub-agents | CPU a step | ratio | time | peak memory | survives a kill |
| --- | --- | --- | --- | --- | --- |
| bare loop | 1.00 ms | 1.00 | 1.50 s | 100 MiB | no |
| Cadre | 1.50 ms | 1.50 | 1.50 s | 100 MiB | yes |
| broken | a \\| b c | – | – | – | no |
`.trim(),
  );
});

test("nothing is divided by the CPU time of a failed first program", () => {
  const rows = [
    { name: "bare loop", isDurable: false, outcome: { failure: "no sockets" } },
    { name: "Cadre", isDurable: true, outcome: bare },
  ];
  expect(renderTable("100 sub-agents", 300, rows)).toContain("| Cadre | 1.00 ms | – | 1.50 s |");
});
