import { join } from "node:path";
import { expect, test } from "vitest";
import { type AipProject, createAipProject } from "../../../test/fixtures/aip/aip-project.ts";
import { positionOf } from "../location/aip-location.ts";
import type { LuaValue } from "../lua/lua-value.ts";
import { answerCall } from "./answer-call.ts";

/** Runs a script for many inputs concurrently. */
async function runForEach(project: AipProject, count: number, code: string): Promise<void> {
  const inputs = Array.from({ length: count }, (_, index) => index + 1);
  await project.run(
    `# Options\n\`\`\`toml\ninput_concurrency = 8\n\`\`\`\n# Data\n\`\`\`lua\n${code}\n\`\`\`\n# Output\n\`\`\`lua\nreturn data\n\`\`\`\n`,
    { inputs },
  );
}

test("concurrent appends to a new file lose no line", async () => {
  const project = createAipProject();
  const { port, workspace } = project;
  const location = positionOf(join(workspace, "agent.aip"), undefined, port);
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const call = (line: string): Promise<LuaValue> => {
    const context = { port, location, signal: port.signal, input: undefined, key: line };
    return answerCall("file.write", ["a.txt", `${line}\n`, "append"], context);
  };
  await Promise.all(lines.map(call));
  expect(project.read("a.txt").trimEnd().split("\n").toSorted()).toEqual(lines.toSorted());
});

test("concurrent changes to the same file are all kept", async () => {
  const project = createAipProject();
  project.write("a.txt", Array.from({ length: 16 }, (_, index) => `item ${index + 1}.\n`).join(""));
  await runForEach(
    project,
    16,
    `local mine = "item " .. input .. "."
     if input % 2 == 0 then
       aip.file.save_changes("a.txt", "<<<<<<< SEARCH\\n" .. mine .. "\\n=======\\n" .. mine .. " done\\n>>>>>>> REPLACE\\n")
     else
       aip.udiffx.apply_file_changes("<FILE_CHANGES><FILE_PATCH file_path=\\"a.txt\\">\\n@@\\n-" .. mine .. "\\n+" .. mine .. " done\\n</FILE_PATCH></FILE_CHANGES>")
     end`,
  );
  const done = Array.from({ length: 16 }, (_, index) => `item ${index + 1}. done`);
  expect(project.read("a.txt").trimEnd().split("\n")).toEqual(done);
});
