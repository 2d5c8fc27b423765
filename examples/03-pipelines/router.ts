import type { SubAgentInput, SubAgentOutput } from "../../src/index.ts";

/** Chooses the reviewers of the result by the instruction. The returned list applies to all later events. */
export default {
  name: "router",
  description: "Chooses the reviewers.",
  run({ coder_prompt: prompt, sub_agents_next: next }: SubAgentInput): SubAgentOutput {
    const isAboutMoney = /price|discount|card/i.test(prompt);
    const reviewers = isAboutMoney ? [{ name: "auditor.md", on: "end" }] : [];
    return {
      agent_result: reviewers.map(({ name }) => name),
      sub_agents_next: [...next, ...reviewers, { name: "record.ts", on: "end" }],
    };
  },
};
