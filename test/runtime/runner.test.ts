import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ApprovalRequest } from "../../src/index.ts";
import { agentCall, startModelServer } from "../fixtures/model-server.ts";
import { createModelProject } from "../fixtures/project.ts";
import { readAsked, scriptedRunner } from "../fixtures/runner/runner-fixture.ts";

describe("an agent with a runner", () => {
  test("does not start in an untrusted folder, and the message says what would have run", async () => {
    const project = createModelProject();
    project.writeAgent("coder", { runner: "acp:some-agent --acp" });
    const cadre = await project.open();
    const spawned = cadre.spawn({ agent: "coder", task: "go" });
    await expect(spawned).rejects.toMatchObject({
      code: "not-trusted",
      message: expect.stringContaining("acp:some-agent"),
    });
    expect(await cadre.runs()).toEqual([]);
  });

  test("is delegated to like any other, and its questions reach the user from any depth", async () => {
    const server = await startModelServer(({ turn, last }) =>
      turn === 0 ? [agentCall("coder", "do: ask execute make\ndo: write made.txt x")] : last.join(),
    );
    const project = createModelProject(server);
    project.writeAgent("coder", { runner: scriptedRunner(project.folder) });
    const questions: ApprovalRequest[] = [];
    const cadre = await project.open({
      trust: true,
      mode: "ask",
      async onApproval(request) {
        questions.push(request);
        return { decision: "allow", scope: "once" };
      },
    });
    const run = await cadre.spawn({ agent: "main", task: "go" });
    expect(await run.result()).toMatchObject({ status: "succeeded", text: "[yes][written]" });
    expect(readFileSync(join(project.folder, "made.txt"), "utf8")).toBe("x");
    expect(questions.map(({ title, chain }) => [title, chain.join(" > ")])).toEqual([
      ["execute make", "main > coder"],
      ["Write made.txt", "main > coder"],
    ]);
    const [, child] = await cadre.tree(run.id);
    expect(child).toMatchObject({ agent: "coder", model: null, cost: null, turns: 1 });
  });

  test("gets the extensions of its run as its own servers, except those with limits", async () => {
    const project = createModelProject();
    const config = {
      extensions: {
        files: { command: "files-server", args: ["${FILES_KEY}"], environmentKeys: ["FILES_KEY"] },
        web: { url: "https://mcp.example.com/", headers: { authorization: "Bearer hunter2" } },
        narrow: { command: "narrow-server", allow: ["read_*"] },
      },
    };
    project.write(".cadre/config.yaml", JSON.stringify(config));
    project.writeAgent("coder", { runner: scriptedRunner(project.folder, "http") });
    const environment = { PATH: process.env["PATH"], FILES_KEY: "secret-key" };
    const cadre = await project.open({ trust: true, environment });
    const run = await cadre.spawn({ agent: "coder", task: "go" });
    const { warnings, status } = await run.result();
    expect(status).toBe("succeeded");
    expect(warnings).toEqual([expect.stringContaining("did not get the extension narrow")]);
    const opened = readAsked(project.folder).find(({ method }) => method === "session/new");
    expect(opened?.params["mcpServers"]).toEqual([
      {
        name: "files",
        command: "files-server",
        args: ["secret-key"],
        env: expect.arrayContaining([{ name: "FILES_KEY", value: "secret-key" }]),
      },
      {
        type: "http",
        name: "web",
        url: "https://mcp.example.com/",
        headers: [{ name: "authorization", value: "Bearer hunter2" }],
      },
    ]);
    for await (const event of run.events()) {
      expect(JSON.stringify(event)).not.toMatch(/hunter2|secret-key/);
    }
  });
});
