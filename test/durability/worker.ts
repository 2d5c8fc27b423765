import module from "node:module";
import { createCadre } from "../fixtures/built-library.ts";
import { type Execution, executeRuns } from "./execute-runs.ts";

/**
 * Starts or resumes runs in its working folder, and kills itself after a number of durable events. Prints an empty line at its
 * start and at each event, so that it can also be killed from outside, and the result of the root at the end.
 */
const [, , command, killAfter, given = ""] = process.argv;
const execution = JSON.parse(given) as Execution;
process.stdout.write("\n");
const cadre = await createCadre(execution.options);
let events = 0;
cadre.onEvent(() => {
  events += 1;
  if (events === Number(killAfter)) {
    // Node stores compiled code when a process ends; after a kill the next process would have to compile all of it.
    module.flushCompileCache();
    process.kill(process.pid, "SIGKILL");
  }
  process.stdout.write("\n");
});
const result = await executeRuns(cadre, command === "resume" ? "resume" : "start", execution);
process.stdout.write(JSON.stringify(result));
