import { beforeAll, expect, test } from "vitest";
import { compilePrograms, expected, runProgram, writeProgram } from "./framework-program.ts";
import { mockModel } from "./mock-model.ts";

const text = `
${mockModel("ai6/test", "MockLanguageModelV3")}
const cadre = await openCadre();
const agent = await createAgent(cadre, model(calls));
console.log((await agent.generate("go")).text);
const sleepy = await createAgent(cadre, model([lastCall]));
await sleepy.generate("go", { abortSignal: stop.signal }).catch(() => undefined);
await closeCadre(cadre);
`;

beforeAll(async () => {
  writeProgram({ file: "mastra.mts", section: "Mastra", text });
  await compilePrograms({ files: ["mastra.mts"], skipLibCheck: true });
}, 300_000);

test("an agent of Mastra delegates with the documented lines, and cancels what it aborts", async () => {
  expect(await runProgram("mastra.mjs")).toEqual(expected);
});
