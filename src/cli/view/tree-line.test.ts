import { describe, expect, it } from "vitest";
import { createRun } from "../../../test/cli/create-run.ts";
import { unpainted } from "../terminal/paint.ts";
import { textWidth } from "../terminal/text-width.ts";
import { formatTreeRow } from "./tree-line.ts";
import type { Run } from "../../host.ts";

const options = { columns: 79, now: 12_000, paint: unpainted };
const busy = createRun({
  agent: "reviewer",
  label: "first",
  status: "running",
  activity: "Read src/index.ts",
  turns: 2,
  usage: { ...createRun({}).usage, inputTokens: 1200, outputTokens: 40 },
  cost: null,
});

describe("formatTreeRow", () => {
  it("fills the line: the run and its activity on the left, its figures on the right", () => {
    const line = formatTreeRow({ branch: "├─ ", run: busy }, options);
    expect(line).toMatch(
      /^├─ ● reviewer \(first\) {2}Read src\/index\.ts +2 turns 1\.2k tok \$\? 12s$/,
    );
    expect(textWidth(line)).toBe(79);
  });

  it("keeps its columns for any text of agents", () => {
    const activity = "漢字".repeat(60);
    for (const columns of [20, 40, 59, 79, 120]) {
      const line = formatTreeRow(
        { branch: "│  └─ ", run: { ...busy, activity } },
        { ...options, columns },
      );
      expect(textWidth(line)).toBe(columns);
    }
  });

  it("shows the name of an agent in its colour", () => {
    const paint = (style: string, text: string): string => `<${style}>${text}</>`;
    const styles = new Map([["reviewer", "magenta"]] as const);
    const line = formatTreeRow({ branch: "", run: busy }, { ...options, paint, styles });
    expect(line).toContain("<magenta>reviewer (first)</>");
    expect(formatTreeRow({ branch: "", run: busy }, { ...options, paint })).toContain(
      "<bold>reviewer (first)</>",
    );
  });

  it("lets no escape sequence through", () => {
    const run = { ...busy, agent: "a\u001b[2J", activity: "b\u001b[1A\nc" };
    expect(formatTreeRow({ branch: "", run }, options)).toMatch(/^● a \(first\) {2}b c /);
  });

  it("shows the latest activity, and the reason of a failure", () => {
    const lastText = (): string => "listening";
    expect(formatTreeRow({ branch: "", run: busy }, { ...options, lastText })).toContain(
      "listening",
    );
    const result = {
      runId: "t-1",
      status: "failed" as const,
      text: "",
      runs: 1,
      ...busy.own,
      own: busy.own,
      durationMs: 3000,
      failure: { code: "stalled" as const, message: "no activity" },
      warnings: [],
    };
    const failed = { ...busy, status: "failed" as const, endedAt: 3000, result };
    expect(formatTreeRow({ branch: "", run: failed }, { ...options, columns: Infinity })).toBe(
      "✗ reviewer (first)  failed: no activity  (2 turns 1.2k tok $? 3.0s)",
    );
  });

  it("names the unfinished dependencies of a waiting run by label", () => {
    const runs = new Map<string, Run>([
      ["a-1", createRun({ id: "a-1", label: "look", endedAt: 1 })],
      ["a-2", createRun({ id: "a-2", label: "plan" })],
    ]);
    const run = createRun({ status: "waiting", dependsOn: ["a-1", "a-2", "b-x"] });
    const find = (id: string): Run | undefined => runs.get(id);
    expect(formatTreeRow({ branch: "", run }, { ...options, find })).toContain(
      " waiting for plan, x ",
    );
  });

  it("shows the activity of a waiting run's dependency", () => {
    const run = createRun({ status: "waiting", dependsOn: ["a-1"] });
    const lastText = (): string => "Its process is gone.";
    expect(formatTreeRow({ branch: "", run }, { ...options, lastText })).toContain(
      "Its process is gone.",
    );
  });

  it.each<[Partial<Run>, string]>([
    [{ cachedFrom: "a-1" }, "[cached]"],
    [{ lineage: { kind: "fork", runId: "a-1", step: "model/2" } }, "[fork of 1 at model/2]"],
    [{ lineage: { kind: "retry", runId: "a-1" } }, "[retry of 1]"],
    [{ background: true, detached: true }, "[detached]"],
    [{ retries: 1 }, "[attempt 2]"],
  ])("marks the properties of a run: %j", (given, mark) => {
    const run = { ...busy, ...given };
    expect(formatTreeRow({ branch: "", run }, options)).toContain(`(first)  ${mark} Read`);
  });
});
