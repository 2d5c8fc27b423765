import { existsSync } from "node:fs";
import { createCadre } from "../../fixtures/built-library.ts";

/**
 * Starts or resumes the family in the folder it is started in, until every run of it has ended, and kills itself after so
 * many durable events. Prints an empty line when it begins and at each event, so that it can also be killed from outside.
 */
const [, , command, killAfter] = process.argv;
process.stdout.write("\n");
const cadre = await createCadre({
  mode: "auto",
  trust: true,
  model: "scripted:script.json",
  limits: { familyRuns: 1000, children: 1000 },
});
let events = 0;
cadre.onEvent(() => {
  events += 1;
  if (events === Number(killAfter)) process.kill(process.pid, "SIGKILL");
  process.stdout.write("\n");
});
if (command === "resume") await cadre.resume();
else if (existsSync("graph.yaml")) await cadre.spawnGraph("graph.yaml");
else await cadre.spawn({ agent: "conduct" });
await cadre.idle();
await cadre.close();
