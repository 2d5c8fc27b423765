/** The tool through which an agent with an output schema delivers its result. */
export const finalOutputName = "final_output";

/** Reports whether `tool` is the tool that delivers the output. */
export function isFinalOutput(tool: string): boolean {
  return tool.toLowerCase() === finalOutputName;
}
