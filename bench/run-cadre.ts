import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { library } from "./built-library.ts";
import { measure } from "./measure.ts";

/**
 * The same work through Cadre, journal on, `synchronous=FULL`. Arguments: base URL, `fan-out` or `chain`, number of
 * agents.
 */
const [, , baseUrl, shape, count] = process.argv;
const folder = await mkdtemp(join(tmpdir(), "cadre-bench-"));
const cadre = await library.createCadre({
  cwd: folder,
  home: folder,
  registry: join(folder, "state"),
  environment: { OPENAI_API_KEY: "none", OPENAI_BASE_URL: baseUrl },
  model: "openai:mock",
  mode: "auto",
  agents: [
    {
      name: "sub",
      description: "Works on a part.",
      systemPrompt: "You are a sub-agent. Work on your task.",
      tools: ["Think"],
    },
  ],
  limits: { children: 100_000, concurrency: 100_000, familyRuns: 1_000_000 },
});

async function work(): Promise<void> {
  const run = await cadre.spawn({ agent: "main", task: `${shape} ${count}` });
  const result = await run.result();
  if (result.status !== "succeeded") throw new Error(JSON.stringify(result.failure));
}

process.stdout.write(JSON.stringify(await measure(work)));
await cadre.close();
await rm(folder, { recursive: true, force: true });
