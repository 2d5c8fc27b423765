import { beforeAll, expect, test } from "vitest";
import { startModelServer } from "../fixtures/model-server.ts";
import { compilePrograms, expected, runProgram, writeProgram } from "./framework-program.ts";

const text = `
import { Agent, OpenAIProvider, Runner } from "@openai/agents";

const cadre = await openCadre();
const tools = await createTools(cadre);
const modelProvider = new OpenAIProvider({
  apiKey: "none",
  baseURL: process.env["MODEL_SERVER"] ?? "",
  useResponses: false,
});
const runner = new Runner({ modelProvider, tracingDisabled: true });
const agent = new Agent({ name: "lead", instructions: JSON.stringify(calls), model: "mock", tools });
const { history, finalOutput } = await runner.run(agent, "go");
for (const item of history) {
  if (item.type !== "function_call_result") continue;
  console.log((typeof item.output === "object" && "text" in item.output ? item.output.text : String(item.output)).split("\\n")[0]);
}
console.log(finalOutput);
const sleepy = agent.clone({ instructions: JSON.stringify([lastCall]) });
await runner.run(sleepy, "go", { signal: stop.signal }).catch(() => undefined);
await closeCadre(cadre);
`;

beforeAll(async () => {
  writeProgram({ file: "openai.mts", section: "OpenAI Agents", text });
  await compilePrograms({ files: ["openai.mts"], skipLibCheck: true });
}, 300_000);

test("an agent of OpenAI Agents delegates with the documented lines, and cancels what it aborts", async () => {
  const server = await startModelServer(({ turn, system }) => {
    const inputs = JSON.parse(system) as Record<string, unknown>[];
    return turn === 0 ? inputs.map((input) => ({ tool: "agent", input })) : "done";
  });
  expect(await runProgram("openai.mjs", { MODEL_SERVER: server.baseUrl })).toEqual(expected);
});
