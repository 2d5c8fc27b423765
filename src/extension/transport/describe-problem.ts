import { plainText } from "../plain-text.ts";
import type { ServerProcess } from "./server-process.ts";

const maxLastLines = 10;
const maxLastCharacters = 1500;

/** Adds to a problem the process's other invalid output and the end of its stderr. */
export function describeProblem(
  problem: string,
  noise: string,
  server: Pick<ServerProcess, "stderrTail">,
): string {
  const lines = plainText(server.stderrTail()).trim().split("\n").slice(-maxLastLines).join("\n");
  const words = lines.slice(-maxLastCharacters);
  return [problem, noise, words === "" ? "" : `the end of its stderr:\n${words}\n`]
    .filter((part) => part !== "")
    .join("; ");
}
