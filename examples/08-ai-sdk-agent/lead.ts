import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LanguageModel, ToolLoopAgent } from "ai";
import { scriptedLead } from "./scripted-lead.ts";
// In your own project: from "cadre".
import { createCadre } from "../../src/index.ts";

/**
 * An agent of the AI SDK that delegates to agents of Cadre: `node examples/08-ai-sdk-agent/lead.ts`. Without CADRE_MODEL, the
 * replies of Cadre's agents are scripted (script.yaml); the delegation, the files and the journal are real either way.
 */
const lead: LanguageModel = scriptedLead; // Your own agent has one of `@ai-sdk/anthropic` or of another provider.

const state = await mkdtemp(join(tmpdir(), "cadre-example-"));
const cadre = await createCadre({
  cwd: import.meta.dirname,
  registry: state,
  model: process.env["CADRE_MODEL"] ?? "scripted:script.yaml",
  mode: "plan",
  // The script of the model is in this folder.
  trust: true,
  agents: [
    {
      name: "reader",
      description: "Reads a file and answers a question about it",
      systemPrompt: "You are reader. Read the file before you answer.",
      tools: ["Read"],
    },
  ],
});

const agent = new ToolLoopAgent({ model: lead, tools: await cadre.tools() });
const { text, steps } = await agent.generate({
  prompt: "What are ada.md and bob.md about? Ask a reader for each.",
  abortSignal: AbortSignal.timeout(60_000),
});
for (const { toolResults } of steps) {
  for (const { toolName, output } of toolResults) console.log(`${toolName}: ${String(output)}`);
}
console.log(text);
for (const { agent: name, status } of await cadre.runs()) console.log(`${name}: ${status}`);
await cadre.close();
await rm(state, { recursive: true });
