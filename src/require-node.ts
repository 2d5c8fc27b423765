import { describeOldNode } from "./node-version.ts";

export { minimumNode } from "./node-version.ts";

const problem = describeOldNode();
if (problem !== undefined) {
  const error = new Error(`cadre: ${problem}`);
  // Where it was thrown says nothing to whoever reads it.
  error.stack = error.message;
  throw error;
}
