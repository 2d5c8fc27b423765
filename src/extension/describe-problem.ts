import { plainText } from "./plain-text.ts";
import type { ServerProcess } from "./server-process.ts";

const mostLastLines = 10;
const mostLastCharacters = 1500;

/** A problem with what the process has to say about it: what else was wrong with what it sent, and its last words. */
export function describeProblem(
  problem: string,
  noise: string,
  server: Pick<ServerProcess, "lastWords">,
): string {
  const lines = plainText(server.lastWords()).trim().split("\n").slice(-mostLastLines).join("\n");
  const words = lines.slice(-mostLastCharacters);
  return [problem, noise, words === "" ? "" : `its last words on stderr:\n${words}\n`]
    .filter((part) => part !== "")
    .join("; ");
}
