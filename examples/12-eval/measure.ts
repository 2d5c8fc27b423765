import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
// In your own project: from "cadre/host".
import { createCadre, loadEvals, runEvals } from "../../src/host.ts";

/**
 * An eval from a program: `node examples/12-eval/measure.ts`. Without CADRE_MODEL, the model's replies are scripted (script.yaml);
 * the runs are real either way.
 */
const state = await mkdtemp(join(tmpdir(), "cadre-example-"));
const cwd = import.meta.dirname;
const model = process.env["CADRE_MODEL"] ?? "scripted:script.yaml";
const cadreOptions = { cwd, registry: join(state, "registry"), model };

const cadre = await createCadre(cadreOptions);
const { cases } = await loadEvals(cadre, [join(cwd, "evals.yaml")]);
const { outcome, mixUps } = await runEvals(cadre, cases, {
  cadreOptions,
  isTrusted: () => false, // the file must not contain commands
  budget: { usd: 1 },
});
console.log(outcome);
for (const { expected, chosen, times, of } of mixUps) {
  console.log(`${chosen} instead of ${expected}: ${times} of ${of}`);
}
await cadre.close();
await rm(state, { recursive: true });
