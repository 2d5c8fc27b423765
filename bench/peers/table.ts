import type { Measurement } from "../measure.ts";

/** The result of a program: its measurement, or why there is none. */
export type PeerOutcome = Measurement | { failure: string };

export interface PeerRow {
  name: string;
  /** Whether a run continues from its last step after its process is killed. */
  isDurable: boolean;
  outcome: PeerOutcome;
}

/** Returns the minimum of each number, because other load on the machine affects it least. One failed round is a failure. */
export function combine(rounds: readonly PeerOutcome[]): PeerOutcome {
  const failures = rounds.flatMap((round) => ("failure" in round ? [round.failure] : []));
  if (failures[0] !== undefined) {
    return { failure: `${failures.length} of ${rounds.length} rounds failed: ${failures[0]}` };
  }
  const measured = rounds.flatMap((round) => ("failure" in round ? [] : [round]));
  const least = (key: keyof Measurement): number => Math.min(...measured.map((one) => one[key]));
  return { wallMs: least("wallMs"), cpuMs: least("cpuMs"), peakMiB: least("peakMiB") };
}

/** Returns a Markdown table. "ratio" is the CPU time divided by that of the first row. */
export function renderTable(title: string, steps: number, rows: readonly PeerRow[]): string {
  const base = rows[0]?.outcome;
  const baseCpuMs = base === undefined || "failure" in base ? Number.NaN : base.cpuMs;
  const lines = rows.map(({ name, isDurable, outcome }) => {
    const cells = cellsOf(outcome, steps, baseCpuMs);
    return [name, ...cells, isDurable ? "yes" : "no"];
  });
  const header = [title, "CPU a step", "ratio", "time", "peak memory", "survives a kill"];
  const rule = header.map(() => "---");
  return [header, rule, ...lines].map(renderRow).join("\n");
}

function cellsOf(outcome: PeerOutcome, steps: number, baseCpuMs: number): string[] {
  if ("failure" in outcome) return [outcome.failure, "–", "–", "–"];
  const { cpuMs, wallMs, peakMiB } = outcome;
  const ratio = cpuMs / baseCpuMs;
  return [
    `${(cpuMs / steps).toFixed(2)} ms`,
    Number.isNaN(ratio) ? "–" : ratio.toFixed(2),
    `${(wallMs / 1000).toFixed(2)} s`,
    `${peakMiB.toFixed(0)} MiB`,
  ];
}

/** Escapes the texts of failures, which come from the frameworks. */
function renderRow(cells: readonly string[]): string {
  const escaped = cells.map((cell) => cell.replaceAll(/\s+/g, " ").replaceAll("|", "\\|"));
  return `| ${escaped.join(" | ")} |`;
}
