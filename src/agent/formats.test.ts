import * as fc from "fast-check";
import { stringify as toToml } from "smol-toml";
import { describe, expect, test } from "vitest";
import { stringify as toYaml } from "yaml";
import { samples } from "../../test/is-long.ts";
import { hasError } from "../source/diagnostic.ts";
import type { AgentDefinition } from "./definition/agent.ts";
import { findTextFormat, textFormats } from "./find-format.ts";

/** Keys of all formats. */
const keys =
  "name description tools disallowedTools permission permissions model agents mcpServers mcp-servers mcp_servers extensions skills mode steps disable temperature effort kind max_turns timeout_mins readonly is_background sandbox_mode developer_instructions instructions model_reasoning_effort budget timeout hooks handoffs prompt variant isolation maxTurns".split(
    " ",
  );

const odd = fc.constantFrom(
  "",
  "*",
  "Bash(",
  "Bash()",
  "a(b",
  "mcp__",
  "x/y",
  "\u0000",
  "Read(**)",
  "-1",
  "{{task}}",
);
const value = fc.letrec((tie) => ({
  leaf: fc.oneof(odd, fc.string({ maxLength: 8 }), fc.boolean(), fc.integer(), fc.constant(0.5)),
  list: fc.array(tie("any"), { maxLength: 3 }),
  map: fc.dictionary(
    fc.oneof(odd, fc.constantFrom("*", "bash", "read", "allow", "command", "__proto__")),
    tie("any"),
    {
      maxKeys: 3,
    },
  ),
  any: fc.oneof({ maxDepth: 3 }, tie("leaf"), tie("list"), tie("map")),
})).any;
const header = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 8 });

function write(format: string, data: object): string {
  return format === "codex" ? toToml(data) : `---\n${toYaml(data)}---\n\nBody.\n`;
}

function parse(format: string, text: string): AgentDefinition | null {
  const path = format === "codex" ? "/p/.codex/agents/a.toml" : "/p/a.md";
  return findTextFormat(format).parse({ path, text, scope: "project" });
}

describe.each(textFormats)("a file of %s", (format) => {
  test("with any content is a definition, and every finding has a place and a fix", () => {
    fc.assert(
      fc.property(header, (data) => {
        const definition = parse(format, write(format, data));
        if (definition === null) return;
        expect(typeof definition.name).toBe("string");
        JSON.stringify(definition);
        for (const { line, column, message, fix } of definition.diagnostics) {
          expect(line).toBeGreaterThan(0);
          expect(column).toBeGreaterThan(0);
          expect(message.length).toBeGreaterThan(10);
          expect(fix, message).not.toBeNull();
        }
      }),
      { numRuns: samples(40) },
    );
  });

  test("is read or refused wherever it is cut off", () => {
    const text = write(format, {
      name: "a",
      description: "d: e",
      tools: ["Read", "Bash(git:*)"],
      permission: { bash: { "*": "deny" } },
      mcp_servers: { x: { command: "y" } },
    });
    for (let length = 0; length <= text.length; length += 3) {
      const definition = parse(format, text.slice(0, length));
      if (definition !== null && !hasError(definition.diagnostics))
        expect(definition.name).not.toBe("");
    }
  });

  test("never has every tool if its list has no known one", () => {
    for (const tools of [
      ["frobnicate"],
      "frobnicate",
      ["SlashCommand"],
      "",
      null,
      [null],
      { frobnicate: true, "*": false },
    ]) {
      const data = { name: "a", description: "d", developer_instructions: "i", tools };
      const text =
        format === "codex" && (tools === null || JSON.stringify(tools) === "[null]")
          ? ""
          : write(format, data);
      const definition = text === "" ? null : parse(format, text);
      // In Codex this name is a table of settings, not a list of tools.
      if (
        definition === null ||
        (format === "codex" && typeof tools === "object" && !Array.isArray(tools))
      )
        continue;
      const isRefused = hasError(definition.diagnostics);
      const isServer = (tool: string): boolean => tool.startsWith("mcp__frobnicate__");
      expect(isRefused || definition.tools?.every(isServer), JSON.stringify(tools)).toBe(true);
    }
  });
});
