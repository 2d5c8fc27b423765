import { expect, it } from "vitest";
import { cadre, createProject } from "../command-line.ts";

const failing = `scripts:
  - reply: { text: "", fault: { kind: status, status: 401 } }
`;
const working = `scripts:
  - reply: { text: answered }
`;

it("`--fallback` names models that take over, which every view of the run shows", async () => {
  const project = createProject({ "first.yaml": failing, "second.yaml": working });
  const models = ["--model", "scripted:first.yaml", "--fallback", "scripted:second.yaml"];
  const { code, stdout, stderr } = await cadre(project, ["run", ...models, "do it"]);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("answered");
  const change = "scripted:first.yaml failed (key-refused); continues with scripted:second.yaml";
  expect(stderr).toContain(change);
  const show = (await cadre(project, ["show", "last"])).stdout;
  expect(show).toContain("scripted:second.yaml, which took over from scripted:first.yaml");
  expect(show).toContain(change);
  expect((await cadre(project, ["tree", "last"])).stdout).toContain("[with scripted:second.yaml]");
  expect((await cadre(project, ["events", "last"])).stdout).toContain("model-changed");
});

it("fallbacks in a configuration and an agent file are checked", async () => {
  const project = createProject({
    ".cadre/agents/bad.md": `---\nname: bad\ndescription: d\nfallbacks: [gtp]\n---\nDo it.\n`,
    ".cadre/config.yaml": "fallbacks: gpt\n",
  });
  const { stdout, stderr } = await cadre(project, ["check"]);
  expect(stdout + stderr).toContain('got "gtp"');
  expect(stdout + stderr).toContain("a list of at most 10 models");
});
