// `node examples/06-streams/typed-output.ts [MODEL]`: a review as data, with the type of its schema.
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
// In your own project: from "cadre".
import { createCadre } from "../../src/index.ts";

const [model = "scripted:script.yaml"] = process.argv.slice(2);

const Review = z.object({
  verdict: z.enum(["ship", "wait"]),
  findings: z.array(z.object({ line: z.int(), problem: z.string() })),
});

const reviewer = {
  name: "reviewer",
  description: "Reviews texts",
  systemPrompt: "You review texts. Read them before you judge.",
  tools: ["Read"],
};

await using cadre = await createCadre({
  cwd: import.meta.dirname,
  model,
  registry: await mkdtemp(join(tmpdir(), "cadre-example-")),
  // The script of the model is in this folder.
  trust: true,
});
const { output, failure } = await cadre.run({
  agent: reviewer,
  task: "Review the recipe in pancakes.md.",
  mode: "plan",
  maxTurns: 10,
  outputSchema: Review,
  signal: AbortSignal.timeout(60_000),
});
if (output === undefined) throw new Error(failure?.message);
for (const { line, problem } of output.findings) console.log(`pancakes.md:${line}: ${problem}`);
console.log(`Verdict: ${output.verdict}`);
