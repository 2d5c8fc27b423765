import { existsSync } from "node:fs";

const ofSystem = "/usr/bin/python3";

/**
 * The program and options that execute a terminal driver. A version manager puts a script before Python that takes five times as long
 * as Python. Python also starts faster without `site` and the user's packages, which the drivers do not use.
 */
export const python: readonly [string, ...string[]] = [
  existsSync(ofSystem) ? ofSystem : "python3",
  "-I",
  "-S",
];
