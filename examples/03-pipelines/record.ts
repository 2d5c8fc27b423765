import type { ProgramContext, SubAgentInput } from "../../src/index.ts";

/** Prints what happened. It returns nothing, so it changes nothing. */
export default {
  name: "record",
  description: "Keeps a record of a pipeline.",
  run(input: SubAgentInput, { log }: ProgramContext): void {
    const {
      event,
      coder_prompt: prompt,
      coder_responses: responses = [],
      coder_task: task,
    } = input;
    const about = task === undefined ? "" : ` of task ${task.index}`;
    log(`${event}${about}: ${responses.map(({ text }) => text).join(" | ") || prompt}`);
  },
};
