import module from "node:module";
import { createBuiltCadre } from "../fixtures/built-library.ts";
import type { Work, Works } from "./execute-and-kill.ts";
import { executeRuns } from "./execute-runs.ts";

/**
 * Starts or resumes the runs of several projects at the same time, and kills itself after a number of durable events of all of
 * them. Prints an empty line at its start and at each event, so that it can also be killed from outside. At the end of a
 * project, prints the project's number and the result of its root.
 */
const { works, killAfter } = JSON.parse(process.argv[2] ?? "") as Works;
process.stdout.write("\n");
let events = 0;

function countEvent(): void {
  events += 1;
  if (events === killAfter) {
    // Node stores compiled code when a process ends; after a kill the next process would have to compile all of it.
    module.flushCompileCache();
    process.kill(process.pid, "SIGKILL");
  }
  process.stdout.write("\n");
}

async function execute({ command, execution, ...project }: Work): Promise<string> {
  const cadre = await createBuiltCadre({ ...execution.options, ...project });
  cadre.onEvent(countEvent);
  return JSON.stringify(await executeRuns(cadre, command, execution));
}

const endings = works.map(async (work, at) => {
  const result = await execute(work);
  process.stdout.write(`${at} ${result}\n`);
});
await Promise.all(endings);
