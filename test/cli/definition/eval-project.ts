import { agentFile, createProject, type Project } from "../command-line.ts";

const script = `scripts:
  - when: { task: delegate, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: helper, prompt: "help with tea" } }] }
  - when: { agent: eval-judge, task: polite }
    reply: { calls: [{ tool: final_output, input: { pass: true, reason: It says please. } }] }
  - when: { agent: eval-judge }
    reply: { calls: [{ tool: final_output, input: { pass: false, reason: It says nothing. } }] }
  - when: { task: write }
    reply: { text: '{"sum": 42}' }
  - reply: { text: Please. }
`;

/** Creates a project with the agents `helper` and `other`, a scripted model, and the file `evals.yaml`. */
export function createEvalProject(
  evals: string,
  more: Readonly<Record<string, string>> = {},
): Project {
  return createProject({
    "script.yaml": script,
    "evals.yaml": evals,
    ".cadre/agents/helper.md": agentFile("helper"),
    ".cadre/agents/other.md": agentFile("other"),
    ...more,
  });
}
