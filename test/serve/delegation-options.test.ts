import { expect, test } from "vitest";
import { delegationShape } from "../../src/host.ts";
import { createServedProject, serveInProcess } from "./serve-fixture.ts";

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const recipe = `title: Greet
description: Greets.
parameters: [{ key: name, input_type: string, requirement: required, description: whom }]
prompt: hello {{ name }}
`;
const each = '# Output\n\n```lua\nreturn "got " .. input\n```\n';

/** A request with an option, and either its effect on the started run or the resulting problem. */
interface Row {
  agent?: string;
  value: unknown;
  spec?: Readonly<Record<string, unknown>>;
  problem?: { code: string; detail: string };
}

/** Returns a row for each option of a delegation. `first` is a run that has ended. */
const rows = (first: string): Readonly<Record<string, Row>> => ({
  agent: { value: "worker", spec: { agent: "worker" } },
  task: { value: "this", spec: { task: "this" } },
  parameters: {
    agent: "greet",
    value: { name: "Ada" },
    spec: { task: expect.stringContaining("hello Ada") },
  },
  input: { value: { a: 1 }, spec: { task: expect.stringMatching(/^go[^]*"a": 1/) } },
  inputs: { agent: "each", value: ["x", "y"], spec: { inputs: ["x", "y"] } },
  label: { value: "named", spec: { label: "named" } },
  model: { value: "scripted:other.yaml", spec: { model: "scripted:other.yaml" } },
  fallbacks: { value: ["scripted:other.yaml"], spec: { fallbacks: ["scripted:other.yaml"] } },
  temperature: { value: 0.5, spec: { temperature: 0.5 } },
  timeoutSeconds: { value: 77, spec: { timeoutSeconds: 77 } },
  dependsOn: { value: [first], spec: { dependsOn: [first] } },
  includeDependencyResult: { value: true, spec: { includeDependencyResult: true } },
  onDependencyError: { value: "run", spec: { onDependencyError: "run" } },
  sharedContext: { value: { k: "v" }, spec: { context: { values: { k: "v" }, references: {} } } },
  // A root has no caller that waits for it or ends before it.
  background: { value: true, spec: { parentId: null } },
  detach: { value: true, spec: { parentId: null } },
  team: { value: true, spec: { team: true } },
  retries: { value: 2, spec: { retry: { checks: [], maxRetries: 2 } } },
  budget: { value: { tokens: 5000 }, spec: { budget: { tokens: 5000 } } },
  outputSchema: { value: { type: "object" }, spec: { outputSchema: { type: "object" } } },
  summary: { value: true, spec: { summary: true } },
  images: { value: [{ data: png }], spec: { images: [{ mediaType: "image/png" }] } },
  cache: { value: true, spec: { cache: true } },
  extensions: {
    value: ["nothing"],
    problem: { code: "invalid-argument", detail: "nothing" },
  },
  cwd: { value: "sub", spec: { workspace: expect.stringMatching(/\/sub$/) } },
  mode: { value: "plan", spec: { policies: [{}, { mode: "plan" }] } },
  permissions: {
    value: { deny: ["Bash(rm *)"] },
    spec: { policies: [{}, { rules: { deny: ["Bash(rm *)"] } }] },
  },
  tools: { value: ["Read"], spec: { tools: ["Read"] } },
  maxTurns: { value: 7, spec: { maxTurns: 7 } },
  providerOptions: {
    value: { openai: { user: "u" } },
    spec: { providerOptions: { openai: { user: "u" } } },
  },
  toolChoice: { value: "none", spec: { toolChoice: "none" } },
  stopWhen: { value: { turns: 1 }, spec: { stopWhen: [{ turns: 1 }] } },
  taskCalls: { value: [{ file: "notes.txt" }], spec: { taskCalls: [{ file: "notes.txt" }] } },
  queue: { value: { priority: 1 }, problem: { code: "config-invalid", detail: "workers" } },
});

test("every option of a delegation arrives over HTTP", async () => {
  const project = createServedProject();
  project.write("sub/file", "");
  project.write("notes.txt", "notes");
  project.write("other.yaml", "scripts: [{ reply: { text: other } }]\n");
  project.write(".cadre/recipes/greet.yaml", recipe);
  project.write(".cadre/agents/each.aip", each);
  const { call } = await serveInProcess({ project, mode: "auto", trust: true });
  const { json } = await call("/runs", { agent: "main", task: "first" });
  const first = json["run"].id as string;
  await call(`/runs/${first}/result`);
  const table = rows(first);
  const names = [...Object.keys(delegationShape), "queue"];
  expect(Object.keys(table).toSorted()).toEqual(names.toSorted());
  const { paths } = (await call("/openapi.json")).json;
  const { properties } = paths["/runs"].post.requestBody.content["application/json"].schema;
  expect(Object.keys(properties).toSorted()).toEqual(names.toSorted());
  for (const [name, { agent = "main", value, spec, problem }] of Object.entries(table)) {
    const base = agent === "main" ? { agent, task: "go" } : { agent };
    const answer = await call("/runs", { ...base, [name]: value });
    if (problem !== undefined) {
      const detail = expect.stringContaining(problem.detail) as unknown;
      expect(answer.json, name).toMatchObject({ code: problem.code, detail });
      continue;
    }
    expect(answer, name).toMatchObject({ status: 201 });
    const { events } = (await call(`/runs/${answer.json["run"].id}/events?limit=1`)).json;
    expect(events[0].spec, name).toMatchObject(spec ?? {});
  }
});
