import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentFile } from "../cli/command-line.ts";
import {
  changeFrom,
  harmless,
  openChangingFixture,
  recipePath,
  replyAndChange,
  recipe,
  writeCommand,
} from "../fixtures/delegation/changing-project.ts";
import { hang, startModelServer } from "../fixtures/model-server.ts";
import { createModelProject, type ModelProject } from "../fixtures/project.ts";

const hooked = (command: string): string =>
  agentFile("helper").replace(
    "---\nYou",
    `hooks: { SubagentStart: [{ hooks: [{ type: command, command: ${command} }] }] }\n---\nYou`,
  );

describe("a definition counts as changed", () => {
  const evil = recipe("ran");
  const script = { type: "stdio", name: "srv", cmd: "sh", args: ["tools/server.sh"] };
  const withServer = { title: "helper", description: "d", prompt: "Help.", extensions: [script] };
  const runner = "acp:sh tools/server.sh";
  const disguises: Record<string, [files: Record<string, string>, command: string]> = {
    "after it was written with an old date": [
      { [recipePath]: harmless },
      `${writeCommand(recipePath, evil)}\ntouch -d 2001-01-01 ${recipePath}`,
    ],
    "after an older file was moved there": [
      { [recipePath]: harmless, "old.yaml": evil },
      `mv old.yaml ${recipePath}`,
    ],
    "after a copy with its times was made": [
      { [recipePath]: harmless, "old.yaml": evil },
      `cp -p old.yaml ${recipePath}`,
    ],
    "after an older file was linked there": [
      { [recipePath]: harmless, "old.yaml": evil },
      `ln -f old.yaml ${recipePath}`,
    ],
    "after a symbolic link to an older file was put there": [
      { [recipePath]: harmless, "old.yaml": evil },
      `ln -sf ../../old.yaml ${recipePath}`,
    ],
    "after the folder it lies in was replaced by an older one": [
      { [recipePath]: harmless, "old/recipes/helper.yaml": evil },
      "mv .agents gone; mv old .agents; touch .agents/x .agents/recipes/x; rm .agents/x .agents/recipes/x",
    ],
    "when it is an older file that a sub-recipe was turned to": [
      {
        [recipePath]: JSON.stringify({
          ...(JSON.parse(harmless) as object),
          sub_recipes: [{ name: "sub", path: "./sub.yaml" }],
        }),
        ".agents/recipes/sub.yaml": harmless,
        "old.yaml": evil,
      },
      "ln -sf ../../old.yaml .agents/recipes/sub.yaml",
    ],
    "when it is an older file that a recipe that changed has as a sub-recipe": [
      { [recipePath]: harmless, "old.yaml": evil },
      writeCommand(
        recipePath,
        JSON.stringify({
          ...(JSON.parse(harmless) as object),
          sub_recipes: [{ name: "sub", path: "../../old.yaml" }],
        }),
      ),
    ],
    "after a template that it includes was": [
      { [recipePath]: `{% include "part.yaml" %}`, ".agents/recipes/part.yaml": harmless },
      writeCommand(".agents/recipes/part.yaml", evil),
    ],
    "after the script of its server was": [
      { [recipePath]: JSON.stringify(withServer), "tools/server.sh": "true" },
      writeCommand("tools/server.sh", "touch ran"),
    ],
    "when it brings a runner": [
      {
        ".cadre/agents/helper.md": agentFile("helper").replace(
          "---\nYou",
          `runner: "${runner}"\n---\nYou`,
        ),
        "tools/server.sh": "true",
      },
      writeCommand("tools/server.sh", "touch ran"),
    ],
    "when it brings a hook": [
      { ".cadre/agents/helper.md": hooked("touch ran") },
      "touch .cadre/agents/helper.md",
    ],
    "after the script of its hook was": [
      { ".cadre/agents/helper.md": hooked("sh tools/guard.sh"), "tools/guard.sh": "true" },
      writeCommand("tools/guard.sh", "touch ran"),
    ],
    "when it brings a check": [
      { [recipePath]: harmless },
      writeCommand(
        recipePath,
        JSON.stringify({
          ...(JSON.parse(harmless) as object),
          retry: { max_retries: 1, checks: [{ type: "shell", command: "touch ran" }] },
        }),
      ),
    ],
    "when it is the Lua of an .aip file": [
      { ".cadre/agents/helper.aip": "# After All\n\n```lua\nreturn 1\n```\n" },
      writeCommand(
        ".cadre/agents/helper.aip",
        '# After All\n\n```lua\naip.file.save("ran", "")\nreturn 1\n```\n',
      ),
    ],
    "when a module that an .aip file requires is": [
      {
        ".cadre/agents/helper.aip": '# After All\n\n```lua\nrequire("mod")\nreturn 1\n```\n',
        ".cadre/agents/lua/mod.lua": "return {}",
      },
      writeCommand(".cadre/agents/lua/mod.lua", 'aip.file.save("ran", "")\nreturn {}'),
    ],
    "when it is a program": [
      {
        ".cadre/agents/helper.mjs":
          'export default { name: "helper", description: "d", run: () => "1" };',
      },
      "touch .cadre/agents/helper.mjs",
    ],
  };

  test.for(Object.keys(disguises))("%s", async (name) => {
    const [files = {}, command = ""] = disguises[name] ?? [];
    const project = await openChangingFixture({});
    for (const [file, content] of Object.entries(files)) project.project.write(file, content);
    const toolResult = await project.run(command);
    expect(toolResult).toMatch(/The agent (helper|old) was not started/);
    expect(project.has("ran")).toBe(false);
  });

  test("in a resumed run too, since the beginning of its family", async () => {
    let isResumed = false;
    const server = await startModelServer((turn) => {
      if (isResumed || turn.turn === 0) return replyAndChange(turn, () => undefined);
      changeFrom(project.folder, turn.task);
      return hang;
    });
    const project: ModelProject = createModelProject(server);
    project.write(recipePath, harmless);
    const first = await project.open({ trust: true });
    const { id } = await first.spawn({ agent: "main", task: writeCommand(recipePath, evil) });
    await server.hung(1);
    await first.close({ leaveRuns: true });
    isResumed = true;
    const second = await project.open({ trust: true });
    await second.resume(id);
    const { text } = await (await second.find(id)).result();
    expect(text).toContain("The agent helper was not started");
    expect(existsSync(join(project.folder, "ran"))).toBe(false);
  });

  test.for(["mkdir -p src; touch note.txt src/x", "touch .agents/recipes/other.txt"])(
    "but not for unrelated changes: %s",
    async (command) => {
      const project = await openChangingFixture({ [recipePath]: recipe("ran") });
      await project.run(command);
      expect(project.has("ran")).toBe(true);
    },
  );
});
