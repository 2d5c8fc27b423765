import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { measureProgram, withModelServer } from "./run-program.ts";

const folder = mkdtempSync(join(tmpdir(), "cadre-bench-test-"));
const bare = join(import.meta.dirname, "run-bare.ts");

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([["fan-out"], ["chain"]])("a %s of the bare loop is measured", async (shape) => {
  const measurement = await withModelServer(0, (baseUrl) =>
    measureProgram(bare, [baseUrl, shape, "3"]),
  );
  expect(Object.keys(measurement)).toEqual(["wallMs", "cpuMs", "peakMiB"]);
  expect(Math.min(...Object.values(measurement))).toBeGreaterThan(0);
});

test("a program with another answer has failed", async () => {
  const path = join(folder, "wrong.ts");
  const measure = JSON.stringify(join(import.meta.dirname, "measure.ts"));
  writeFileSync(path, `await (await import(${measure})).measureAgent(async () => "done.");\n`);
  await expect(measureProgram(path, ["", "fan-out", "3"])).rejects.toMatchObject({
    stderr: expect.stringContaining('Expected the answer "done: fan-out 3.", got "done.".'),
  });
});

test("the model server streams to clients that ask for it, and refuses wrong results", async () => {
  await withModelServer(0, async (baseUrl) => {
    const ask = (request: unknown): Promise<Response> =>
      fetch(`${baseUrl}/chat/completions`, { method: "POST", body: JSON.stringify(request) });
    const user = { role: "user", content: "chain 0" };
    const streamed = await ask({ messages: [user], stream: true });
    const events = (await streamed.text()).trim().split("\n\n");
    expect(events[0]).toContain('"delta":{"role":"assistant","content":"done: chain 0."}');
    expect(events.at(-1)).toBe("data: [DONE]");
    const call = { id: "a", type: "function", function: { name: "Think", arguments: "{}" } };
    const refused = await ask({ messages: [user, { role: "assistant", tool_calls: [call] }] });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { message: 'The result of call a must contain "Noted."; got no result.' },
    });
  });
});
