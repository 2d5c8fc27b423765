import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startModelServer } from "../../fixtures/model-server.ts";
import { processEnvironment } from "../../fixtures/process-environment.ts";
import { createModelProject } from "../../fixtures/project.ts";

/** Delegates with the built library, and prints whether that loaded Node's own `fetch` with its `Headers` and `Response`. */
const program = `
const { createCadre } = await import(process.env.CADRE_LIBRARY);
const cadre = await createCadre({ model: process.argv[1] });
const run = await cadre.spawn({ agent: "main", task: "work" });
const { status } = await run.result();
await cadre.close();
const hasFetch = process.moduleLoadList.includes("NativeModule internal/deps/undici/undici");
process.stdout.write(JSON.stringify({ status, hasFetch }));
`;

test.each(["mock:any", "openai:gpt-4.1", "openai:gpt-5.1"])(
  "a run with %s is done without Node's fetch",
  async (model) => {
    const calls = [{ tool: "Bash", input: { command: "true" } }];
    const server = await startModelServer(({ turn }) => (turn < 2 ? calls : "done"));
    const { folder, home } = createModelProject(server);
    const keys = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: server.baseUrl };
    const args = ["--input-type=module", "--eval", program, model];
    const env = { ...processEnvironment(home), ...keys };
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
    expect(JSON.parse(stdout)).toEqual({ status: "succeeded", hasFetch: false });
    expect(server.turns).toHaveLength(3);
  },
);
