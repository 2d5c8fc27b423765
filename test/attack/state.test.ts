import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Cadre, CadreOptions } from "../../src/index.ts";
import { hideFolders } from "../../src/tool/path/secret-path.ts";
import { createAipProject } from "../fixtures/aip/aip-project.ts";
import type { CompletionCall } from "../fixtures/chat-completion.ts";
import { agentCall, startModelServer } from "../fixtures/model-server.ts";
import { createModelProject, type ModelProject } from "../fixtures/project.ts";
import { scriptedRunner } from "../fixtures/runner/runner-fixture.ts";

/** The text of the first task, which the attackers search for. */
const secret = "the-passphrase-is-hunter2";
const long = { tool: "Bash", input: { command: `yes ${secret} | head -20000` } };

/** Creates a project in which one family left a journal and a long output, and the calls of another family that attacks them. */
interface Crime {
  project: ModelProject;
  cadre: Cadre;
  /** The file with the long output of the first family. */
  output: string;
  /** The results of the second family's calls, in order. */
  attempt(calls: readonly CompletionCall[]): Promise<string[]>;
}

async function prepare(
  options: (project: ModelProject) => CadreOptions,
  attackers: CadreOptions = {},
): Promise<Crime> {
  let calls: readonly CompletionCall[] = [];
  const server = await startModelServer(({ task, turn }) => {
    if (turn > 0) return "over";
    if (task.includes(secret)) return [long];
    return task.startsWith("look around") ? calls : "over";
  });
  const project = createModelProject(server);
  const first = await project.open(options(project));
  const run = await first.spawn({ agent: "main", task: secret });
  await run.result();
  const outputs = join(first.stateFolder, "outputs", run.id, run.id);
  const output = join(outputs, readdirSync(outputs).find((entry) => entry !== "tmp") ?? "");
  expect(readFileSync(output, "utf8")).toContain(secret);
  const cadre = await project.open({ ...options(project), ...attackers });
  return {
    project,
    cadre,
    output,
    async attempt(wanted) {
      calls = wanted;
      const before = server.turns.length;
      await (await cadre.spawn({ agent: "main", task: "look around" })).result();
      return server.turns.slice(before).find(({ turn }) => turn === 1)?.last ?? [];
    },
  };
}

/** Every way to read a file and the folders around it. */
function looks(path: string): CompletionCall[] {
  return [
    { tool: "Read", input: { file_path: path } },
    { tool: "Grep", input: { pattern: "hunter2", path, output_mode: "content" } },
    { tool: "LS", input: { path: dirname(path) } },
    { tool: "Glob", input: { pattern: "**/*", path: dirname(path) } },
    { tool: "DirectoryTree", input: { path: dirname(path) } },
    { tool: "Grep", input: { pattern: "hunter2", path: dirname(path), output_mode: "content" } },
  ];
}

const projects: Record<string, (project: ModelProject) => CadreOptions> = {
  "is in the user's state folder": () => ({}),
  "is in a workspace that is the home folder": ({ home }) => ({ cwd: home }),
  "was put into the workspace": ({ folder }) => ({ registry: join(folder, "state") }),
};

describe.each(Object.entries(projects))("a registry that %s", (_, options) => {
  test.each(["auto", "accept-edits", "ask", "plan", "deny"] as const)(
    "is read by no file tool in mode %s",
    async (mode) => {
      const { cadre, output, attempt, project } = await prepare(options, { mode });
      const { stateFolder } = cadre;
      const trusted = join(project.home, ".local", "state", "cadre", "trusted.json");
      mkdirSync(dirname(trusted), { recursive: true });
      writeFileSync(trusted, "[]");
      for (const path of [join(stateFolder, "cadre.db"), output, trusted]) {
        for (const answer of await attempt(looks(path))) {
          expect(answer).toMatch(/hidden from tools|outside the workspace|Permission denied/);
        }
      }
    },
  );

  test("is reached by no link, no other spelling, and no search from a parent folder", async () => {
    const { cadre, output, attempt, project } = await prepare(options);
    const cwd = options(project).cwd ?? project.folder;
    symlinkSync(cadre.stateFolder, join(cwd, "link"));
    const spelled = [
      join(cwd, "link", "cadre.db"),
      relative(cwd, join(cadre.stateFolder, "cadre.db")),
      join(cadre.stateFolder, "..", "..", relative(dirname(dirname(cadre.stateFolder)), output)),
    ];
    for (const path of spelled) {
      for (const answer of await attempt(looks(path).slice(0, 2))) {
        expect(answer).toMatch(/hidden from tools|outside the workspace/);
      }
    }
    const answers = await attempt([
      { tool: "Grep", input: { pattern: "hunter2", path: ".", output_mode: "content" } },
      { tool: "Glob", input: { pattern: "**/*" } },
      { tool: "DirectoryTree", input: { depth: 10 } },
    ]);
    expect(answers).toHaveLength(3);
    for (const answer of answers)
      expect(answer).not.toMatch(/hunter2 *$|cadre\.db|model-1|tool-1/m);
    expect(answers[0]).toContain("No match");
  });

  test("is written by no tool, whatever the mode", async () => {
    const { cadre, output, attempt } = await prepare(options);
    const before = readFileSync(output);
    const answers = await attempt([
      { tool: "Write", input: { file_path: join(cadre.stateFolder, "new.txt"), content: "x" } },
      { tool: "Edit", input: { file_path: output, old_string: secret, new_string: "x" } },
      { tool: "Write", input: { file_path: output, content: "x" } },
    ]);
    for (const answer of answers) expect(answer).toMatch(/hidden from tools|outside the workspace/);
    expect(answers).toHaveLength(3);
    expect(existsSync(join(cadre.stateFolder, "new.txt"))).toBe(false);
    expect(readFileSync(output).equals(before)).toBe(true);
  });

  test("gives its files to no run as images", async () => {
    const { output, attempt } = await prepare(options);
    const image = join(dirname(output), "picture.png");
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/q842iQAAAABJRU5ErkJggg==";
    writeFileSync(image, Buffer.from(png, "base64"));
    const [answer] = await attempt([
      { tool: "Subagent", input: { instructions: "look", images: [{ path: image }] } },
    ]);
    expect(answer).toMatch(/hidden from tools|outside the workspace/);
  });

  test("is read by no runner through Cadre", async () => {
    const { project, cadre, output } = await prepare(options);
    const paths = [join(cadre.stateFolder, "cadre.db"), output];
    const cwd = options(project).cwd ?? project.folder;
    const runner = scriptedRunner(project.folder);
    const attacker = { name: "spy", description: "looks", systemPrompt: "Look.", runner };
    const spying = await project.open({
      ...options(project),
      cwd,
      agents: [attacker],
      trust: true,
    });
    const task = paths.map((path) => `do: read ${path}`).join("\n");
    const { text } = await (await spying.spawn({ agent: "spy", task })).result();
    expect(text).not.toContain("hunter2");
    expect(text.match(/hidden from tools|outside the workspace/g)).toHaveLength(2);
  });
});

test("hidden files are neither listed nor read by the scripts of an .aip agent", async () => {
  const project = createAipProject();
  onTestFinished(() => project.remove());
  project.write("state/outputs/secret.md", secret);
  project.write("open.md", "fine");
  hideFolders([join(project.workspace, "state")]);
  const value = await project.evaluate(`
    local paths = {}
    for _, file in ipairs(aip.file.list({ "**/*.md" })) do table.insert(paths, file.path) end
    return { paths, select(2, pcall(aip.file.load, "state/outputs/secret.md")) }`);
  expect(value).toEqual([["open.md"], expect.stringContaining("hidden from tools")]);
});

test("a family reads its own outputs, through tools and runners", async () => {
  let path = "";
  const reads = ["Read", "Grep"].map((tool) => ({ tool }));
  const server = await startModelServer(({ agent, turn, last }) => {
    if (agent === "reader") {
      const input = { file_path: path, path, pattern: "hunter2", limit: 1 };
      return turn === 0 ? reads.map(({ tool }) => ({ tool, input })) : last.join("\n");
    }
    if (turn === 0) return [long];
    if (turn > 1) return last.join("\n");
    path = /in (\S+): use Read/.exec(last.join("\n"))?.[1] ?? "";
    return [agentCall("reader", "read it"), agentCall("spy", `do: read ${path} 1 1`)];
  });
  const project = createModelProject(server);
  project.writeAgent("reader");
  project.writeAgent("spy", { runner: scriptedRunner(project.folder) });
  const cadre = await project.open({ trust: true });
  const { text } = await (await cadre.spawn({ agent: "main", task: "go" })).result();
  expect(path).toContain(join(cadre.stateFolder, "outputs"));
  expect(text).not.toMatch(/hidden from tools|outside the workspace/);
  expect(text.match(new RegExp(secret, "g"))?.length).toBeGreaterThanOrEqual(2);
});

test("a registry shipped with a project is neither read nor changed, and its runs are not continued", async () => {
  const { project, cadre } = await prepare(({ folder }) => ({ registry: join(folder, "own") }));
  await cadre.close();
  const shipped = join(project.folder, ".cadre", "state");
  cpSync(cadre.stateFolder, shipped, { recursive: true });
  const before = contentOf(shipped);
  const victim = await project.open({ trust: true });
  expect(await victim.runs()).toEqual([]);
  expect(await victim.resume()).toEqual([]);
  expect(victim.configuration.diagnostics).toMatchObject([
    { path: shipped, severity: "warning", code: "state-not-trusted" },
  ]);
  expect(victim.configuration.diagnostics[0]?.fix).toContain("cadre trust");
  await (await victim.spawn({ agent: "main", task: "x" })).result();
  expect(contentOf(shipped)).toEqual(before);
});

test("no run can have the state folder as its workspace", async () => {
  const { project, cadre } = await prepare(() => ({}));
  const inside = await project.open({ cwd: cadre.stateFolder });
  await expect(inside.spawn({ agent: "main", task: "x" })).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringContaining("where Cadre keeps runs"),
  });
  const same = await project.open({ registry: project.folder });
  await expect(same.spawn({ agent: "main", task: "x" })).rejects.toMatchObject({
    message: expect.stringContaining("CADRE_STATE_DIR"),
  });
});

/** Returns the files of a folder by name, with their content. */
function contentOf(folder: string): [string, string][] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path): [string, string] => [path, readFileSync(path).toString("base64")]);
}
