import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * `npm run demo`: a main agent delegates real work on this repository to five specialists. Without a key, the model's
 * replies are scripted; tools, files, journal and timeouts are real either way.
 */
const root = join(import.meta.dirname, "..", "..");
const keys = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "OPENAI_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "GEMINI_API_KEY",
];
const task =
  "Write a tour of this repository to demo-output/tour.md. Delegate at once, in one message, to cartographer, librarian, " +
  "test-inspector, contract-reader and historian; one of them may run out of time. Then write down what they reported.";

const key = keys.find((name) => (process.env[name] ?? "") !== "");
const model = key === undefined ? ["--model", "scripted:examples/01-delegate/script.yaml"] : [];

function print(...lines: string[]): void {
  process.stderr.write(`${lines.join("\n")}\n`);
}

/** Runs the `cadre` command in this repository as a user would. The runs of the demo are kept apart from the user's own. */
function cadre(...words: string[]): Promise<number> {
  const child = spawn(process.execPath, [join(root, "src", "cli", "main.ts"), ...words], {
    cwd: root,
    env: { ...process.env, CADRE_STATE_DIR: "demo-output/state" },
    stdio: "inherit",
  });
  return new Promise((resolve) => child.on("exit", (code) => resolve(code ?? 130)));
}

print("", "Cadre demo: one agent delegates to five, on this repository.");
if (key === undefined) {
  print(
    "The model's replies are SCRIPTED (examples/01-delegate/script.yaml), so that",
    "this works offline and without a key. Everything else is real: the tools read",
    "and search these files, a sub-agent delegates to another, one is killed by its",
    "timeout, and every step is in the journal.",
  );
} else {
  print(`${key} is set, so a real model answers: this costs some cents.`);
}
print("", '$ cadre run "Write a tour of this repository …"', "");

// The Write tool refuses to replace a file that no agent has read.
await rm(join(root, "demo-output"), { recursive: true, force: true });
// The command below handles Ctrl-C: it ends its runs before it exits.
process.on("SIGINT", () => undefined);
const code = await cadre("run", task, "--mode", "accept-edits", ...model);

print("", "$ cadre tree last", "");
await cadre("tree", "last");
print(
  "",
  "Look closer:   export CADRE_STATE_DIR=demo-output/state",
  "               npm run -s cadre -- show last",
  "               npm run -s cadre -- events last",
  "The result:    demo-output/tour.md",
);
if (key === undefined) {
  print(
    "With a model:  ANTHROPIC_API_KEY=… npm run demo",
    "               (or OPENAI_API_KEY, or GEMINI_API_KEY)",
  );
}
process.exit(code);
