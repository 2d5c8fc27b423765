import { execFile } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isInstalled } from "../../fixtures/process/is-installed.ts";
import { createProject, node } from "../../cli/command-line.ts";
import { commandFile } from "../../cli/start-command.ts";

const script = `
scripts:
  - when: { last: look please }
    reply: { calls: [{ tool: Read, input: { file_path: src/a.txt } }] }
  - when: { last: alter }
    reply: { calls: [{ tool: Edit, input: { file_path: src/a.txt, old_string: unsaved, new_string: changed } }] }
  - reply: { text: done }
`;

test.skipIf(!isInstalled("nvim"))(
  "Neovim gives the text of its buffers, and loads what an agent changed",
  async () => {
    const project = createProject({ "script.yaml": script, "src/a.txt": "saved\n" });
    const agent = project.write("cadre-acp", `#!/bin/sh\nexec "${node}" "${commandFile}" acp\n`);
    chmodSync(agent, 0o755);
    const report = join(project.path, "report.json");
    const environment = { ACP_CWD: project.path, ACP_AGENT: agent, ACP_REPORT: report };
    const client = `luafile ${join(import.meta.dirname, "neovim-client.lua")}`;
    const words = ["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", client, "-c", "cquit"];
    await promisify(execFile)("nvim", words, { env: { ...project.environment, ...environment } });
    const { stops, kinds, lines } = JSON.parse(readFileSync(report, "utf8")) as {
      stops: string[];
      kinds: string[];
      lines: string[];
    };
    expect(stops).toEqual(["end_turn", "end_turn", "end_turn"]);
    // The change is refused while the buffer is unsaved.
    const calls = kinds.filter((kind) => /^(tool_call_update|asked|read)/.test(kind));
    expect(calls).toEqual([
      "read",
      "tool_call_update",
      "asked",
      "read",
      "tool_call_update:failed",
      "asked",
      "read",
      "tool_call_update",
    ]);
    expect(lines).toEqual(["changed in the buffer"]);
    expect(readFileSync(join(project.path, "src/a.txt"), "utf8")).toBe("changed in the buffer\n");
  },
  60_000,
);
