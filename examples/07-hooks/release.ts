import { mkdtemp, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
// In your own project: from "cadre".
import { createCadre, type Hooks } from "../../src/index.ts";

/**
 * A program with hooks: `node examples/07-hooks/release.ts`. Without CADRE_MODEL, the model's replies are scripted (script.yaml);
 * the files, the hooks and the journal are real either way.
 */
const folder = await mkdtemp(join(tmpdir(), "cadre-example-"));

/** Refuses a change that no permission rule describes. */
const freeze: Hooks = {
  name: "freeze",
  beforeTool: ({ tool, input }) =>
    tool === "Write" && JSON.stringify(input).includes("migrations/")
      ? { deny: "migrations are frozen until the release" }
      : undefined,
};

/** Gives every agent context, and lets no agent end before its change is listed. */
const changelog: Hooks = {
  name: "changelog",
  beforeRun: () => ({ context: "The version is 2.1. List every change in CHANGES.md." }),
  beforeEnd: ({ isContinued }) =>
    existsSync(join(folder, "CHANGES.md")) || isContinued
      ? undefined
      : { continue: "CHANGES.md does not exist. Write it." },
};

/** Decides nothing: it sees every call before other hooks do, and every executed call afterwards. */
const audit: Hooks = {
  name: "audit",
  beforeTool: ({ title }) => console.log(`? ${title}`),
  afterTool: ({ title, isError }) => console.log(`${isError ? "✗" : "✓"} ${title}`),
  afterRun: ({ agent }, { status, text }) => console.log(`${agent} ${status}: ${text}`),
};

const cadre = await createCadre({
  cwd: folder,
  registry: join(folder, "state"),
  model: process.env["CADRE_MODEL"] ?? `scripted:${join(import.meta.dirname, "script.yaml")}`,
  mode: "accept-edits",
  hooks: [audit, freeze, changelog],
});
await cadre.run({ agent: "main", task: "Rename the column in migrations/7.sql, and say so." });
await cadre.close();
await rm(folder, { recursive: true });
