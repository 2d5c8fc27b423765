import { describeOldNode } from "./node-version.ts";

export { minimumNode } from "./node-version.ts";

const problem = describeOldNode();
if (problem !== undefined) {
  const error = new Error(`cadre: ${problem}`);
  // The stack does not help the user.
  error.stack = error.message;
  throw error;
}
