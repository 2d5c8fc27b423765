import type { PipelineResult } from "../../pipeline/run-pipeline.ts";
import type { JsonValue } from "../../source/json.ts";

/** The maximum size of a pipeline's output before it is cut, in characters of JSON. */
const maxCharacters = 8 * 1024 * 1024;

/** The output of a pipeline, with warnings. */
export interface PipelineOutput {
  output: JsonValue;
  warnings: string[];
}

/**
 * Builds the output of a pipeline: the answers, the files, and the runs of its sub-agents. Cuts very long output, with a warning.
 */
export function toPipelineOutput(
  result: Pick<PipelineResult, "responses" | "files_changed" | "history">,
): PipelineOutput {
  const { responses, files_changed, history } = result;
  const whole = { responses, files_changed, sub_agents: history } as unknown as JsonValue;
  if (JSON.stringify(whole).length <= maxCharacters) return { output: whole, warnings: [] };
  const most = Math.floor(maxCharacters / 8 / Math.max(1, responses.length));
  const cut = {
    responses: responses.map(({ text, files_changed: files, input }) => {
      const short = text.slice(0, most).toWellFormed();
      return { text: short, content_extruded: short, files_changed: files, input };
    }),
    files_changed,
    sub_agents: history.map(({ config, event, success, error }) => {
      return { config, event, agent_result: null, success, error };
    }),
  };
  const warning = `The output is too long: answers were cut to ${most} characters in it, and the results of sub-agents left out. The runs of the family have all of it.`;
  return { output: cut as unknown as JsonValue, warnings: [warning] };
}
