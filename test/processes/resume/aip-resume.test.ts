import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { killWhileAsking } from "../../fixtures/process/kill-agent-file.ts";
import { hang, startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";

test("an .aip agent killed while it waits for its model continues there, and repeats nothing", async () => {
  let isKilled = false;
  const server = await startModelServer(() => (isKilled ? "done" : hang));
  const project = createModelProject(server);
  const data =
    'aip.file.append("log.txt", aip.uuid.new_v4() .. "\\n")\nreturn aip.file.load("log.txt").content';
  const script = `# Data\n\`\`\`lua\n${data}\n\`\`\`\n`;
  project.write("agent.aip", `${script}# Instruction\n{{data}}\n`);
  await killWhileAsking(project, server, "agent.aip");
  isKilled = true;
  const before = readFileSync(join(project.folder, "log.txt"), "utf8");
  const cadre = await project.open({ trust: true });
  const [run] = await cadre.resume();
  expect(await run?.result()).toMatchObject({ status: "succeeded", text: "done" });
  expect(readFileSync(join(project.folder, "log.txt"), "utf8")).toBe(before);
  expect(server.turns.map(({ task }) => task)).toEqual([before, before].map((text) => `${text}\n`));
}, 60_000);
