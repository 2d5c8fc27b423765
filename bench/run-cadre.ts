import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CadreOptions } from "../src/index.ts";
import { library } from "./built-library.ts";
import { baseUrl, measureAgent } from "./measure.ts";

/** The same work through Cadre, with the journal on and `synchronous=FULL`. */
const folder = await mkdtemp(join(tmpdir(), "cadre-bench-"));
const isExtended = process.env["CADRE_BENCH_EXTENDED"] !== undefined;
const toolNames = Array.from({ length: isExtended ? 10 : 0 }, (_, index) => `lookup_${index}`);

/** Returns the additions of `extended.ts`. */
function extensions(): Pick<CadreOptions, "tools" | "hooks"> {
  if (!isExtended) return {};
  const tools = toolNames.map((name) =>
    library.defineTool({
      name,
      description: "Looks something up.",
      input: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      access: "none",
      execute: () => "nothing",
    }),
  );
  const nothing = (): undefined => undefined;
  const hook = {
    beforeModel: nothing,
    beforeTool: nothing,
    afterTool: nothing,
    beforeEnd: nothing,
  };
  return { tools, hooks: [hook, hook, hook] };
}

const cadre = await library.createCadre({
  ...extensions(),
  cwd: folder,
  home: folder,
  registry: join(folder, "state"),
  environment: {
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: baseUrl,
    OTEL_EXPORTER_OTLP_ENDPOINT: process.env["OTEL_EXPORTER_OTLP_ENDPOINT"],
  },
  telemetry: "environment",
  // The context of this model is large enough for the results of 10,000 sub-agents.
  model: "openai:gpt-4.1",
  mode: "auto",
  agents: [
    {
      name: "sub",
      description: "Works on a part.",
      systemPrompt: "You are a sub-agent. Work on your task.",
      tools: ["Think", ...toolNames],
    },
  ],
  limits: { children: 100_000, concurrency: 100_000, familyRuns: 1_000_000 },
});

await measureAgent(async (task) => {
  const run = await cadre.spawn({ agent: "main", task });
  const result = await run.result();
  if (result.status !== "succeeded") throw new Error(JSON.stringify(result.failure));
  return result.text;
});
await cadre.close();
await rm(folder, { recursive: true, force: true });
