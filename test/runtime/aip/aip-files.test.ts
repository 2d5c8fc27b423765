import { relative } from "node:path";
import { expect, test } from "vitest";
import { startModelServer } from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";

test("the steps of an .aip agent list every file removed by a move or a deleted folder", async () => {
  const project = createModelProject(await startModelServer(() => "done"));
  project.write(
    "agent.aip",
    '# Output\n```lua\naip.file.move("a.txt", "b.txt")\naip.file.delete("old")\naip.file.ensure_dir("new")\n```\n',
  );
  for (const path of ["a.txt", "old/c.txt", "old/in/d.txt"]) project.write(path, path);
  const cadre = await project.open({ agentFiles: ["agent.aip"], trust: true, mode: "auto" });
  const run = await cadre.spawn({ agent: "agent.aip" });
  await run.result();
  const listed: [string, boolean][][] = [];
  for await (const event of run.events()) {
    if (event.type !== "step-finished" || event.kind !== "tool") continue;
    const { files = [] } = event.value as { files?: { path: string; hash: string | null }[] };
    listed.push(files.map(({ path, hash }) => [relative(project.folder, path), hash !== null]));
  }
  expect(listed).toEqual([
    [
      ["b.txt", true],
      ["a.txt", false],
    ],
    [
      ["old/c.txt", false],
      ["old/in/d.txt", false],
    ],
    [],
  ]);
});
