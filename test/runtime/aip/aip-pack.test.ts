import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { CadreOptions, RunResult } from "../../../src/index.ts";
import {
  type ModelServer,
  type ServerTurn,
  startModelServer,
} from "../../fixtures/model-server.ts";
import { createModelProject, type ModelProject } from "../../fixtures/project.ts";

/** A pack that works like published coders: on a prompt file, with its own agents around the coder. */
const pack = new URL("../../fixtures/aip/coder-pack", import.meta.url);

let project: ModelProject;
let server: ModelServer;

/** The answers of the pack's models; one patch of the coder fails. */
function reply({ system, task, turn }: ServerTurn): string {
  if (system.includes("You are map"))
    return `<INFO>\n\`\`\`json\n{ "summary": "about ${task.trim()}" }\n\`\`\`\n</INFO>`;
  if (system.includes("You are choose"))
    return '<needed>["b.txt"]</needed><reason>- it is about b</reason>';
  const patched = coded === 0 ? "@@\n-nothing like it\n+x\n" : "";
  coded += 1;
  return `It is done${turn}.\n<FILE_CHANGES>\n<FILE_PATCH file_path="b.txt">\n@@\n-b${coded}\n+b${coded + 1}\n${patched}</FILE_PATCH>\n</FILE_CHANGES>`;
}
let coded = 0;

async function run(agent = "me@coder", options: CadreOptions = {}): Promise<RunResult> {
  const cadre = await project.open({ mode: "accept-edits", ...options });
  return await (await cadre.spawn({ agent })).result();
}

beforeEach(async () => {
  coded = 0;
  server = await startModelServer(reply);
  project = createModelProject(server);
  const installed = join(project.home, ".aipack-base/pack/installed/me/coder");
  cpSync(pack, installed, { recursive: true });
  project.write("src/a.txt", "a\n");
  project.write("src/b.txt", "b1\n");
});

const prompt = ".aipack/.prompt/me@coder/prompt.md";
const read = (path: string): string => readFileSync(join(project.folder, path), "utf8");

describe("an installed pack", () => {
  test("creates its prompt file, and runs it with its own agents", async () => {
    expect((await run()).text).toBe(`Skipped: Write your prompt in ${prompt}`);
    expect(server.turns).toEqual([]);
    project.write(prompt, read(prompt).replace("\n====", "\nChange b.\n\n===="));

    const result = await run();
    expect(result).toMatchObject({
      status: "succeeded",
      output: { after_all: { failed: 0, noted: "me@coder/note", redone: 1 } },
      warnings: [],
    });
    expect(read("src/b.txt")).toBe("b3\n");
    expect(read(prompt)).toMatch(/Change b\.\n\n====\n> mock\n\nIt is done0\.\n$/);
    expect(Object.keys(JSON.parse(read(".aipack/.prompt/me@coder/.cache/map.json")).files)).toEqual(
      ["a.txt", "b.txt"],
    );
    const coder = server.turns.filter(({ system }) => system.includes("You are coder"));
    expect(coder.map(({ task }) => task)).toEqual([
      expect.stringContaining('<FILE path="b.txt">\nb1\n</FILE>'),
      expect.stringContaining('<FILE path="b.txt">\nb2\n</FILE>'),
    ]);
    // The first round describes both files, the second only the changed one.
    expect(server.turns.filter(({ system }) => system.includes("You are map"))).toHaveLength(3);
  });

  test("reports its redo request to the script that called it, and runs again itself for other callers", async () => {
    const redo = "return CTX.REDO_COUNT == nil and aip.flow.redo_run() or CTX.REDO_COUNT";
    const call = `
      local first = aip.agent.run("again")
      local other = aip.agent.run("plain")
      return { first.redo_requested, first.after_all or "none", other.redo_requested, CTX.PARENT_RUN_UID or "none" }`;
    project.write("again.aip", `# After All\n\`\`\`lua\n${redo}\n\`\`\`\n`);
    project.write("plain.aip", "# Output\n```lua\nreturn CTX.PARENT_RUN_UID\n```\n");
    project.write("call.aip", `# Output\n\`\`\`lua\n${call}\n\`\`\`\n`);
    const files = { agentFiles: ["again.aip", "call.aip"], trust: true };
    const called = await run("call.aip", files);
    expect(called.output).toMatchObject({ outputs: [[true, "none", false, "none"]] });
    expect((await run("again.aip", files)).output).toMatchObject({ after_all: 1 });
  });

  test("reports the place and the file of a failure", async () => {
    const { failure } = await run("me@coder/map");
    expect(failure?.message).toMatch(
      /^map\.aip:\d+ \(# Before All\): attempt to index a nil value/,
    );
    const denied = await run("me@coder", { mode: "plan" });
    expect(denied.failure).toMatchObject({ code: "permission-denied" });
  });
});
