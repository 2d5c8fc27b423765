import { isFinalOutput } from "./final-output.ts";

/** Names the calls of one reply, in order. */
export type CallIds = (tool: string) => string;

/**
 * Creates the names of the calls in the reply of the step `step`: the keys of the steps that execute them. Calls that deliver the
 * output of a run with a schema (`hasSchema`) are not executed and not counted.
 */
export function createCallIds(step: string, hasSchema: boolean): CallIds {
  const place = /^(.*\/)?model\/(\d+)$/.exec(step);
  const [, before = "", turn] = place ?? [];
  let [calls, outputs] = [0, 0];
  return (tool) => {
    const isOutput = hasSchema && isFinalOutput(tool);
    const kind = isOutput ? "final_output" : "tool";
    const count = isOutput ? outputs++ : calls++;
    return turn === undefined ? `${step}/${kind}/${count}` : `${before}${kind}/${turn}/${count}`;
  };
}
