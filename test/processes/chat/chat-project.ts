import { agentFile, createProject, type Project } from "../../cli/command-line.ts";

const script = (workMs: number): string => `
scripts:
  - when: { agent: worker, turn: 0 }
    reply: { text: I look around., calls: [{ tool: LS, input: { path: "." } }] }
  - when: { agent: worker, last: say hi }
    reply: { text: hi from the worker }
  - when: { agent: worker }
    reply: { text: done, delayMs: ${workMs} }
  - when: { last: delegate }
    reply:
      text: I ask two workers.
      calls:
        - { tool: Agent, input: { type: worker, prompt: count the files } }
        - { tool: Agent, input: { type: worker, prompt: name the folders } }
  - when: { last: write }
    reply: { calls: [{ tool: Write, input: { file_path: note.txt, content: "one\\ntwo\\n" } }] }
  - when: { last: hang }
    reply: { calls: [{ tool: Bash, input: { command: sleep 60 } }] }
  - when: { last: markdown }
    reply: { text: "# Title\\n\\nsome **bold** text\\n\\n- item" , reasoning: let me think }
  - when: { last: evil }
    reply: { text: "before \\e]0;owned\\a\\e[2J after" }
  - reply: { text: heard you }
`;

/** Options of {@link createChatProject}. */
export interface ChatProjectOptions {
  /** The duration of a worker's last turn, in milliseconds. */
  workMs: number;
  /** Further files. */
  files?: Readonly<Record<string, string>>;
}

/** Creates a project whose main agent delegates, writes, waits or answers, as the user says. */
export function createChatProject({ workMs, files = {} }: ChatProjectOptions): Project {
  return createProject({
    "script.yaml": script(workMs),
    ".cadre/agents/worker.md": agentFile("worker"),
    ...files,
  });
}
