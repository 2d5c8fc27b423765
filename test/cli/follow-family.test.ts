import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { followFamily } from "../../src/cli/run/follow-family.ts";
import { createProject } from "../fixtures/project.ts";

const script = `scripts:
  - when: { task: go, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: worker, prompt: work } }] }
  - reply: { text: done }
`;

it("a reader that is slower than the family gets its last events", async () => {
  const project = createProject();
  project.writeAgent("worker");
  const file = join(project.folder, "script.yaml");
  writeFileSync(file, script);
  const cadre = await project.open({ model: `scripted:${file}` });
  const run = await cadre.spawn({ agent: "main", task: "go" });
  const names: string[] = [];
  for await (const { event, run: of } of followFamily(cadre, run.id, { past: true })) {
    names.push(`${of.agent} ${event.type}`);
    await run.result();
  }
  expect(names.filter((name) => name.endsWith("run-finished"))).toEqual([
    "worker run-finished",
    "main run-finished",
  ]);
});
