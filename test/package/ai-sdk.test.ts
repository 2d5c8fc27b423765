import { beforeAll, expect, test } from "vitest";
import { compilePrograms, expected, executeFramework, writeProgram } from "./framework-program.ts";
import { mockModel } from "./mock-model.ts";

const text = (mock: string): string => `
import { generateText, type ToolSet } from "ai";
${mockModel("ai/test", mock)}
async function main() {
  const cadre = await openCadre();
  const agent = await createAgent(cadre, model(calls));
  console.log((await agent.generate({ prompt: "go" })).text);
  const tools: ToolSet = await cadre.tools();
  const { agent: one } = await cadre.tools();
  const some: ToolSet = { one };
  if (Object.keys(some).length !== 1 || !("agent" in tools)) throw new Error("no tools");
  const request = { model: model([lastCall]), prompt: "go", abortSignal: stop.signal };
  await generateText({ ...request, tools: await cadre.tools() }).catch(() => undefined);
  await closeCadre(cadre);
}
void main();
`;

const versions = [
  { name: "ai", mock: "MockLanguageModelV4" },
  { name: "ai6", mock: "MockLanguageModelV3" },
];

beforeAll(async () => {
  const files = versions.flatMap(({ name, mock }) =>
    ["mts", "cts"].map((ending) => {
      const file = `${name}.${ending}`;
      const adapt = (code: string): string => code.replaceAll(/"ai(\/test)?"/g, `"${name}$1"`);
      writeProgram({ file, section: "AI SDK", text: text(mock), adapt });
      return file;
    }),
  );
  await compilePrograms({ files });
}, 300_000);

test.each(["ai.mjs", "ai.cjs", "ai6.mjs", "ai6.cjs"])(
  "%s: an agent of the AI SDK delegates with the documented lines, and cancels what it aborts",
  async (file) => {
    expect(await executeFramework(file)).toEqual(expected);
  },
);
