import { execFile } from "node:child_process";
import { writeError } from "./output.ts";

/** The program that opens a link on each platform. */
const openers: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens a link in the user's browser. Only reports a failure, because the user can open the link. */
export async function openBrowser(link: string): Promise<void> {
  const [program = "", ...args] = openers[process.platform] ?? ["xdg-open"];
  const { promise, resolve } = Promise.withResolvers<void>();
  execFile(program, [...args, link], (error) => {
    if (error !== null) writeError(`No browser could be opened with ${program}: open the link.`);
    resolve();
  });
  await promise;
}
