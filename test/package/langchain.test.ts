import { beforeAll, expect, test } from "vitest";
import { compilePrograms, expected, runProgram, writeProgram } from "./framework-program.ts";

const text = `
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

beforeAll(async () => {
  writeProgram({ file: "langchain.mts", section: "LangChain", text });
  await compilePrograms({ files: ["langchain.mts"], skipLibCheck: true });
}, 300_000);

test("an agent of LangChain delegates with the documented lines, and cancels what it aborts", async () => {
  expect(await runProgram("langchain.mjs")).toEqual(expected);
});
