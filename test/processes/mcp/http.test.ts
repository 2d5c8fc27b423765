import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hang, startModelServer } from "../../fixtures/model-server.ts";
import { asJson, initialize, sendToMcp } from "../../mcp/http-fixture.ts";
import { startMcp } from "../../mcp/mcp-process.ts";
import { createFixture } from "../../mcp/mcp-project.ts";

describe("the command over HTTP", () => {
  test("prints its URL and its token, and leaves its runs unfinished when it ends", async () => {
    const server = await startModelServer(() => hang);
    const project = createFixture(server);
    const started = startMcp(project, ["--http", "0"]);
    const [, made = ""] = await started.saying(/the token is (\S+)/);
    const [, url = ""] = await started.saying(/serving (http:\/\/127\.0\.0\.1:\d+\/mcp)/);
    const headers = { ...asJson, authorization: `Bearer ${made}` };
    const begun = await sendToMcp(url, { headers }, initialize);
    expect(begun.status).toBe(200);
    const session = { ...headers, "mcp-session-id": String(begun.headers["mcp-session-id"]) };
    const params = { name: "sessions_spawn", arguments: { task: "go" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params });
    await sendToMcp(url, { headers: session }, body);
    await server.hung(1);
    started.child.kill("SIGTERM");
    expect(await started.ended).toBe(0);
    const cadre = await project.open();
    expect(await cadre.resumable()).toHaveLength(1);
  });

  test("fails at its start for a weak token or an invalid configuration", async () => {
    const guessable = createFixture();
    guessable.environment["CADRE_MCP_TOKEN"] = "short";
    const wrong = createFixture();
    wrong.write(".cadre/config.yaml", "limits: { depth: many }\n");
    const started = [startMcp(guessable, ["--http", "0"]), startMcp(wrong)];
    expect(await Promise.all(started.map(({ ended }) => ended))).toEqual([2, 2]);
    expect(started[0]?.stderr).toContain("Expected CADRE_MCP_TOKEN to have at least 16 characters");
    expect(started[1]?.stderr).toContain(`${join(wrong.folder, ".cadre", "config.yaml")}:1:`);
  });
});
