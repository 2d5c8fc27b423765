import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { temporaryRoot } from "../temporary-folder.ts";
import { installProject, pack, type Tarball } from "./installed-package.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The package, packed once for all tests. */
    tarball: Tarball;
    /** A project with the package, the packages that the programs in the docs import, and TypeScript 5.9. */
    frameworks: string;
  }
}

/** The versions are pinned, so that only a change of Cadre makes the tests fail. `ai6` is version 6 of the AI SDK. */
const frameworks = [
  "ai@7.0.173",
  "ai6@npm:ai@6.0.324",
  "@langchain/core@1.4.0",
  "langchain@1.5.14",
  "@openai/agents@0.20.0",
  "@mastra/core@1.71.0",
  "zod@4.6.7",
  "@ai-sdk/amazon-bedrock@5.0.101",
  "@ai-sdk/anthropic@4.0.105",
  "@ai-sdk/openai-compatible@3.0.92",
  "@opentelemetry/exporter-trace-otlp-proto@0.301.0",
  "@opentelemetry/sdk-trace@3.1.0",
  "typescript@5.9.3",
  "@types/node@24.19.2",
];

/** The script with the reply of the agent `counter`. */
const script = `
scripts:
  - when: { agent: counter }
    reply: { text: The number is 42. }
`;

/** Packs the checkout, and installs the package beside the frameworks. */
export async function setup({ provide }: TestProject): Promise<void> {
  process.env["TMPDIR"] = temporaryRoot;
  const tarball = await pack();
  provide("tarball", tarball);
  const folder = await installProject(tarball.path, ...frameworks);
  writeFileSync(join(folder, "script.yaml"), script);
  provide("frameworks", folder);
}
