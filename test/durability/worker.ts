import { createCadre } from "../fixtures/built-library.ts";

/**
 * Starts or resumes the family in the folder it is started in, and kills itself after so many durable events. Prints an empty
 * line when it begins and at each event, so that it can also be killed from outside, and the result at the end.
 */
const [, , command, killAfter] = process.argv;
process.stdout.write("\n");
const cadre = await createCadre({ mode: "auto", model: "mock:mock" });
let events = 0;
cadre.onEvent(() => {
  events += 1;
  if (events === Number(killAfter)) process.kill(process.pid, "SIGKILL");
  process.stdout.write("\n");
});
const [run] =
  command === "start" ? [await cadre.spawn({ agent: "main", task: "go" })] : await cadre.resume();
const result = await run?.result();
process.stdout.write(JSON.stringify(result ?? null));
await cadre.close();
