import type * as cadreLibrary from "../../src/index.ts";

/**
 * Starts or resumes the family in the folder it is started in, and kills itself after so many durable events. Prints an empty
 * line when it begins and at each event, so that it can also be killed from outside, and the result at the end. `library` is the library as it is built, which
 * starts faster than the sources.
 */
const [, , command, killAfter, library = ""] = process.argv;
const { createCadre } = (await import(library)) as typeof cadreLibrary;
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
