import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, inject, test } from "vitest";
import { startModelServer } from "../fixtures/model-server.ts";
import { compilePrograms, expected, executeFramework, writeProgram } from "./framework-program.ts";
import { mockModel } from "./mock-model.ts";

const root = join(import.meta.dirname, "../..");

const langchain = `
import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { createAgent } from "langchain";

const cadre = await openCadre();
const tools = await createTools(cadre);
const toCalls = (all: typeof calls) => all.map((args, id) => ({ name: "agent", args, id: String(id) }));
const model = fakeModel().respondWithTools(toCalls(calls)).respond(new AIMessage("done"));
const go = { messages: [{ role: "user", content: "go" }] };
const { messages } = await createAgent({ model, tools }).invoke(go);
for (const message of messages.slice(2)) console.log(message.text.split("\\n")[0]);
const sleepy = fakeModel().respondWithTools(toCalls([lastCall]));
const aborted = createAgent({ model: sleepy, tools }).invoke(go, { signal: stop.signal });
await aborted.catch(() => undefined);
await closeCadre(cadre);
`;

const mastra = `
${mockModel("ai6/test", "MockLanguageModelV3")}
const cadre = await openCadre();
const agent = await createAgent(cadre, model(calls));
console.log((await agent.generate("go")).text);
const sleepy = await createAgent(cadre, model([lastCall]));
await sleepy.generate("go", { abortSignal: stop.signal }).catch(() => undefined);
await closeCadre(cadre);
`;

const openai = `
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

/** Writes the programs of docs pages. Returns their files. */
function writePrograms(pages: readonly string[]): string[] {
  const beginning = 'import { createCadre } from "cadre";\n';
  return pages.flatMap((name) => {
    const page = readFileSync(join(root, `docs/${name}.md`), "utf8");
    return Array.from(page.matchAll(/^```ts\n(.*?)^```$/gms), ([, code = ""], index) => {
      const file = `docs-${name}-${index}.mts`;
      const program = code.includes(beginning) ? code : `${beginning}${code}`;
      writeFileSync(join(inject("frameworks"), file), program);
      return file;
    });
  });
}

let documented: string[];

// One compilation for all programs, because they mostly read the same declarations.
beforeAll(async () => {
  writeProgram({ file: "langchain.mts", section: "LangChain", text: langchain });
  writeProgram({ file: "mastra.mts", section: "Mastra", text: mastra });
  writeProgram({ file: "openai.mts", section: "OpenAI Agents", text: openai });
  documented = writePrograms(["models", "telemetry"]);
  const files = ["langchain.mts", "mastra.mts", "openai.mts", ...documented];
  await compilePrograms({ files, skipLibCheck: true });
}, 300_000);

test("the programs of docs/models.md and docs/telemetry.md compile with the packages they import", () => {
  expect(documented.length).toBeGreaterThanOrEqual(3);
});

test("an agent of LangChain delegates with the documented lines, and cancels what it aborts", async () => {
  expect(await executeFramework("langchain.mjs")).toEqual(expected);
});

test("an agent of Mastra delegates with the documented lines, and cancels what it aborts", async () => {
  expect(await executeFramework("mastra.mjs")).toEqual(expected);
});

test("an agent of OpenAI Agents delegates with the documented lines, and cancels what it aborts", async () => {
  const server = await startModelServer(({ turn, system }) => {
    const inputs = JSON.parse(system) as Record<string, unknown>[];
    return turn === 0 ? inputs.map((input) => ({ tool: "agent", input })) : "done";
  });
  expect(await executeFramework("openai.mjs", { MODEL_SERVER: server.baseUrl })).toEqual(expected);
});
