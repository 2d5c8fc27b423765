/**
 * Returns code that declares `model(calls)`: a mock model of the AI SDK that calls the tool `agent`, prints the first line of
 * each result, and then says "done".
 */
export function mockModel(module: string, name: string): string {
  return `
import { ${name} } from "${module}";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function model(all: typeof calls) {
  return new ${name}({
    async doGenerate({ prompt }) {
      const last = prompt.at(-1);
      if (last?.role !== "tool") {
        return {
          content: all.map((call, id) => ({
            type: "tool-call" as const,
            toolCallId: String(id),
            toolName: "agent",
            input: JSON.stringify(call),
          })),
          finishReason: { unified: "tool-calls" as const, raw: undefined },
          usage,
          warnings: [],
        };
      }
      for (const part of last.content) {
        if (part.type !== "tool-result" || !("value" in part.output)) continue;
        console.log(String(part.output.value).split("\\n")[0]);
      }
      return {
        content: [{ type: "text" as const, text: "done" }],
        finishReason: { unified: "stop" as const, raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
}
`;
}
