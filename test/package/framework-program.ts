import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { execute } from "./installed-package.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/frameworks.md"), "utf8");

/**
 * The beginning of each program: a Cadre with the agent `counter`, and `sleeper`, which aborts the caller and waits for its own end.
 * The model of the other framework first calls `counter` and an unknown agent, and then `sleeper`.
 */
const beginning = `
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCadre, defineAgent } from "cadre";

const stop = new AbortController();
const calls = [
  { type: "counter", prompt: "count" },
  { type: "nobody", prompt: "count" },
];
const lastCall = { type: "sleeper", prompt: "sleep" };

async function openCadre() {
  return await createCadre({
    registry: mkdtempSync(join(tmpdir(), "state-")),
    model: "scripted:script.yaml",
    trust: true,
    agents: [
      { name: "counter", description: "Counts", systemPrompt: "You are counter.", tools: [] },
      defineAgent({
        name: "sleeper",
        description: "Sleeps",
        async run(_input, { signal }) {
          stop.abort();
          return await new Promise<string>((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
          });
        },
      }),
    ],
  });
}

async function closeCadre(cadre: Cadre) {
  await cadre.idle();
  const [last] = await cadre.runs();
  console.log(\`\${last?.agent}: \${last?.status}\`);
  await cadre.close();
}
`;

/** The expected output of each program: what the framework's model reads, and the end of the aborted run. */
export const expected: readonly unknown[] = [
  "The number is 42.",
  expectText('Unknown agent: "nobody". Available: counter, sleeper'),
  "done",
  "sleeper: cancelled",
];

function expectText(text: string): unknown {
  return { asymmetricMatch: (line: unknown) => typeof line === "string" && line.includes(text) };
}

/** Returns the code of a section of docs/frameworks.md. */
function documentedCode(section: string): string {
  const [, rest = ""] = page.split(`\n## ${section}\n`);
  const [, code] = /^```ts\n([^]*?)^```$/m.exec(rest.split("\n## ")[0] ?? "") ?? [];
  if (code === undefined) throw new Error(`Expected code in docs/frameworks.md under ${section}.`);
  return code;
}

/** A program in the project of the frameworks. */
export interface FrameworkProgram {
  /** The file name, such as `mastra.mts`. */
  file: string;
  /** The section of docs/frameworks.md. */
  section: string;
  /** The rest of the program, which may use `openCadre`, `closeCadre`, `calls`, `lastCall` and `stop`. */
  text: string;
  /** Replaces the names of packages. */
  adapt?: (text: string) => string;
}

/** Runs a compiled program with these environment variables. Resolves with the lines that it prints. */
export async function executeFramework(
  file: string,
  variables: Record<string, string> = {},
): Promise<string[]> {
  const words = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const output = await execute(inject("frameworks"), "env", ...words, process.execPath, file);
  return output.trimEnd().split("\n");
}

/** Writes a program: the documented code, the beginning and the rest. */
export function writeProgram({ file, section, text, adapt = String }: FrameworkProgram): void {
  const program = adapt(`${documentedCode(section)}${beginning}${text}`);
  writeFileSync(join(inject("frameworks"), file), program);
}

/** Options of {@link compilePrograms}. */
export interface Compilation {
  files: readonly string[];
  /** Skips checking the declarations of packages: those of most frameworks take half a minute or have errors. Default false. */
  skipLibCheck?: boolean;
}

/** Checks programs with TypeScript 5.9 and 7 under `strict` and compiles them. */
export async function compilePrograms(compilation: Compilation): Promise<void> {
  const { files, skipLibCheck = false } = compilation;
  const folder = inject("frameworks");
  const options = ["--strict", "--target", "es2024", "--module", "nodenext", "--types", "node"];
  const compilers = [
    { place: folder, output: ["--noEmit"] },
    { place: root, output: [] },
  ];
  await Promise.all(
    compilers.map(async ({ place, output }) => {
      const path = join(place, "node_modules/typescript/bin/tsc");
      const words = [...options, ...output, "--skipLibCheck", String(skipLibCheck), ...files];
      await execute(folder, process.execPath, path, ...words);
    }),
  );
}
