import { createCadre } from "../fixtures/built-library.ts";

/**
 * Starts or resumes the graph in the folder it is started in, and kills itself after so many durable events. Prints an empty
 * line when it begins and at each event, so that it can also be killed from outside, and the result at the end.
 */
const [, , command, killAfter] = process.argv;
process.stdout.write("\n");
const cadre = await createCadre({
  mode: "auto",
  model: "scripted:script.json",
  limits: { children: 1000, familyRuns: 1000 },
});
let events = 0;
cadre.onEvent(() => {
  events += 1;
  if (events === Number(killAfter)) process.kill(process.pid, "SIGKILL");
  process.stdout.write("\n");
});
const begin = async () => [await cadre.spawn({ agent: "graph", budget: { tokens: 20_000_000 } })];
const [run] = command === "start" ? await begin() : await cadre.resume();
const result = await run?.result();
process.stdout.write(JSON.stringify(result ?? null));
await cadre.close();
