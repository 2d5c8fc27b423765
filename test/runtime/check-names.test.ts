import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkProject, type Diagnostic } from "../../src/host.ts";
import { createModelProject, type ModelProject } from "../fixtures/project.ts";

const model = "scripted:script.yaml";
const script = `scripts:
  - when: { task: delegate, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: misnamed, prompt: go } }] }
  - when: { agent: misnamed }
    reply: { text: done }
  - reply: { text: "{{last}}" }
`;

function createFixture(): ModelProject {
  const project = createModelProject();
  project.write("script.yaml", script);
  project.writeAgent("reader");
  return project;
}

async function check(project: ModelProject, ...paths: string[]): Promise<Diagnostic[]> {
  const { folder: cwd, home } = project;
  const { configuration } = await project.open({ trust: true });
  const environment = { PATH: process.env["PATH"] };
  const folders = { cwd, home, environment, configuration, isTrusted: () => false };
  return await checkProject(paths, folders);
}

const lines = (found: readonly Diagnostic[]): string[] =>
  found.map(({ line, severity, code }) => `${line} ${severity} ${code}`);

it("a run warns about the same names as check, in the same words", async () => {
  const project = createFixture();
  const fields = { agents: ["reader", "raeder"], skills: ["nope"] };
  project.writeAgent("misnamed", fields, "Do {{taks}}.");
  const found = await check(project);
  expect(lines(found)).toEqual([
    "4 warning agent-unknown",
    "5 warning skill-unknown",
    "7 warning placeholder-unknown",
  ]);
  expect(await check(project, ".cadre/agents/misnamed.md")).toEqual(found);
  expect(await check(project, ".")).toEqual(found);
  const cadre = await project.open({ model });
  const run = await cadre.spawn({ agent: "misnamed", task: "go" });
  const { status, warnings } = await run.result();
  expect(status).toBe("succeeded");
  expect(warnings.toSorted()).toEqual(found.map(({ message }) => message).toSorted());
  expect(warnings.join()).toContain("Did you mean `reader`?");
});

it("all findings of a file come at once, whatever else is wrong with it", async () => {
  const project = createFixture();
  const server = { name: "files", command: "cadre-nowhere" };
  const fields = { model: "sonet", agents: ["raeder"], extensions: [server, "fils"], color: 7 };
  project.write(
    ".cadre/agents/misnamed.md",
    `---\n${JSON.stringify({ name: "other", description: "d", ...fields })}\n---\nDo {{taks}}.\n`,
  );
  const codes = (found: readonly Diagnostic[]): string[] =>
    found.map(({ code }) => code).toSorted();
  const expected = [
    "agent-unknown",
    "extension-unknown",
    "extension-unusable",
    "model-unavailable",
    "name-mismatch",
    "placeholder-unknown",
  ];
  for (const paths of [[], [".cadre/agents/misnamed.md"], ["."]]) {
    const found = await check(project, ...paths);
    expect(codes(found)).toEqual(expect.arrayContaining(expected));
  }
});

it("a server whose command does not exist on this machine is a warning", async () => {
  const project = createFixture();
  project.write("server.sh", "#!/bin/sh\n");
  chmodSync(join(project.folder, "server.sh"), 0o755);
  const extensions = {
    missing: { command: "cadre-nowhere" },
    there: { command: "sh" },
    file: { command: "./server.sh" },
    gone: { command: "./gone.sh" },
    elsewhere: { command: "./server.sh", cwd: "/" },
  };
  project.write(".cadre/config.yaml", JSON.stringify({ extensions }));
  const found = (await check(project)).filter(({ code }) => code === "extension-unusable");
  expect(found.map(({ message }) => message)).toEqual([
    "The MCP server missing cannot be used: the command cadre-nowhere was not found on the PATH. Install it, or correct `command`.",
    "The MCP server gone cannot be used: the command ./gone.sh is not a program. Install it, or correct `command`.",
    "The MCP server elsewhere cannot be used: the command ./server.sh is not a program. Install it, or correct `command`.",
  ]);
});

it("a run refuses a model that check reports as unknown, in the same words", async () => {
  const project = createFixture();
  project.writeAgent("misnamed", { model: "sonet" });
  const found = await check(project);
  expect(lines(found)).toEqual(["4 error model-unavailable"]);
  const cadre = await project.open({ model });
  const refusal = cadre.spawn({ agent: "misnamed", task: "go" });
  await expect(refusal).rejects.toMatchObject({ code: "model-unavailable" });
  await expect(refusal).rejects.toThrow(found[0]?.message ?? "");
  expect(found[0]?.message).toContain("Did you mean `sonnet`?");
  const asked = await cadre.spawn({ agent: "misnamed", task: "go", model });
  expect((await asked.result()).status).toBe("succeeded");
});

it("a sub-agent with an unknown model runs with its parent's, and its result says so", async () => {
  const project = createFixture();
  project.writeAgent("misnamed", { model: "sonet" });
  const cadre = await project.open({ model });
  const run = await cadre.spawn({ agent: "main", task: "delegate" });
  const [, child] = (await run.result()) && (await cadre.tree(run.id));
  expect(child?.result?.warnings.join()).toContain("It ran with its parent's instead: scripted:");
});

it("a prompt file with an unknown model is refused by check and run alike", async () => {
  const project = createFixture();
  project.write("prompt.md", "---\nmodel: sonet\n---\nDo it.\n");
  const found = await check(project, "prompt.md");
  expect(lines(found)).toEqual(["2 error model-unavailable"]);
  const cadre = await project.open({ model, agentFiles: ["prompt.md"] });
  await expect(cadre.spawn({ agent: "prompt.md" })).rejects.toThrow(found[0]?.message ?? "");
});

it("a recipe with an unknown model is refused by check and run alike", async () => {
  const project = createFixture();
  const recipe = "title: T\ndescription: d\nprompt: Do it.\nsettings: { goose_model: sonet }\n";
  project.write("recipe.yaml", recipe);
  const found = await check(project, "recipe.yaml");
  expect(found.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
    "error model-unavailable",
  ]);
  const cadre = await project.open({ model, agentFiles: ["recipe.yaml"] });
  const { all } = await cadre.agents();
  const name = all[0]?.name ?? "";
  await expect(cadre.spawn({ agent: name })).rejects.toThrow(found[0]?.message ?? "");
});

it("a model whose key is missing causes no finding, and no run with another model", async () => {
  const project = createFixture();
  project.writeAgent("keyless", { model: "openai:gpt-5" });
  expect(await check(project)).toEqual([]);
  const cadre = await project.open({ model });
  const refusal = cadre.spawn({ agent: "keyless", task: "go" });
  await expect(refusal).rejects.toThrow("OPENAI_API_KEY");
});
