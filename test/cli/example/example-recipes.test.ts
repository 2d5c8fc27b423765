import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Run, RunEvent } from "../../../src/index.ts";
import { cadre, createProject, root } from "../command-line.ts";

it("the example with sub-recipes and an image runs without a model, as its README says", async () => {
  const project = createProject();
  const readme = readFileSync(join(root, "examples/02-recipes/README.md"), "utf8");
  const [, command = ""] =
    /^ {4}cadre (run .*--param screenshot=[^]*?)\n {4}cadre/m.exec(readme) ?? [];
  const words = command.replaceAll("\\\n", " ").split(/\s+/);
  const inCheckout = { ...project, path: root };
  const { code, stdout } = await cadre(inCheckout, [...words, "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    status: "succeeded",
    output: { findings: [{ severity: "medium" }, { severity: "low" }] },
  });

  const tree = await cadre(inCheckout, ["runs", "--all", "--json"]);
  const { runs } = JSON.parse(tree.stdout) as { runs: Run[] };
  const named = (agent: string): Run[] => runs.filter((run) => run.agent === agent);
  expect(named("security")).toHaveLength(2);
  const [first, second] = named("tests").toSorted(
    (a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0),
  );
  expect(second?.startedAt).toBeGreaterThanOrEqual(first?.endedAt ?? Infinity);

  const events = await cadre(inCheckout, ["events", named("interface")[0]?.id ?? "", "--json"]);
  const [created] = events.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as RunEvent);
  expect(created).toMatchObject({ spec: { images: [{ mediaType: "image/png" }] } });
});
