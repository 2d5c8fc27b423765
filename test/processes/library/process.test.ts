import { startLibraryProcess } from "../../fixtures/process/start-library-process.ts";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCadre } from "../../../src/index.ts";
import { agentCall, startModelServer } from "../../fixtures/model-server.ts";
import { onFiles } from "../../fixtures/postgres/on-files.ts";
import { createModelProject, type ModelProject } from "../../fixtures/project.ts";

/** Runs `library-process.ts` until it exits by itself. Resolves with its output, line by line. */
async function runProcess(project: ModelProject, command: string): Promise<unknown[]> {
  const child = startLibraryProcess(project, command);
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (printed += chunk));
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect(code).toBe(0);
  const lines = printed.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as unknown);
}

const code = (name: string): unknown => expect.objectContaining({ code: name });

describe("the library in several processes", () => {
  test("shows the events of a run live in another Cadre and in another process", async () => {
    const goOn = Promise.withResolvers<void>();
    const server = await startModelServer(async ({ turn }) => {
      if (turn === 1) await goOn.promise;
      return turn === 0 ? [{ tool: "LS", input: {} }] : "done";
    });
    const project = createModelProject(server);
    const cadre = await project.open();
    const run = await cadre.spawn({ agent: "main", task: "go" });
    const other = await project.open();
    const seen: string[] = [];
    for await (const event of (await other.find(run.id)).events()) {
      seen.push(event.type);
      // The rest happens only after this event.
      if (event.type === "step-finished" && event.kind === "tool") goOn.resolve();
    }
    expect(seen.at(-1)).toBe("run-finished");
    expect(await runProcess(project, "events")).toEqual(seen);
  });

  onFiles(
    "continues the runs of a dead process, and leaves those without a model unfinished",
    async () => {
      const server = await startModelServer(() => "done");
      const project = createModelProject(server);
      const [first] = await runProcess(project, "leave");
      const [second] = await runProcess(project, "leave");
      // This process lacks the endpoint: nothing is changed, and any process may try again.
      const stranger = await createCadre({
        cwd: project.folder,
        home: join(project.home, "nobody"),
        environment: { XDG_STATE_HOME: join(project.home, ".local", "state") },
        mode: "auto",
      });
      await expect(stranger.resume()).rejects.toEqual(code("model-unavailable"));
      await expect(stranger.resume(String(first))).rejects.toEqual(code("model-unavailable"));
      expect(await stranger.runs({ status: ["succeeded"] })).toEqual([]);
      const cadre = await project.open();
      const resumed = await cadre.resume();
      expect(resumed.map(({ id }) => id)).toEqual([first, second]);
      for (const run of resumed) expect(await run.result()).toMatchObject({ status: "succeeded" });
      await stranger.close();
    },
  );

  test("leaves nothing open: a process that used it exits by itself", async () => {
    const server = await startModelServer(({ turn }) =>
      turn === 0 ? [{ tool: "Bash", input: { command: "echo hi" } }, agentCall("main", "x")] : "ok",
    );
    const project = createModelProject(server);
    expect(await runProcess(project, "spawn")).toEqual([expect.any(String), "succeeded"]);
  });
});
