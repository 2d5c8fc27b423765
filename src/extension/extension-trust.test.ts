import { expect, it } from "vitest";
import type { ExtensionConfig } from "../run/extension-config.ts";
import { checkExtensionTrust } from "./extension-trust.ts";

const path = "/work/project/.cadre/config.yaml";
const configs: ExtensionConfig[] = [
  { name: "files", type: "stdio", command: "npx", args: ["-y", "files", "--key=hunter2"] },
  { name: "web", type: "streamable_http", url: "https://web.example/mcp?token=hunter2" },
];

it("extensions of an untrusted folder are refused, and the message names their commands without arguments", () => {
  const check = (): void => checkExtensionTrust(configs, { path, isTrusted: () => false });
  expect(check).toThrow(`- MCP server files (command npx)
- MCP server web (web.example)
Read it there, then run \`cadre trust\` in the project`);
  expect(check).not.toThrow(/hunter2/);
  expect(check).toThrow(expect.objectContaining({ code: "not-trusted" }));
});

it("extensions of a trusted folder, and an empty list, are accepted", () => {
  checkExtensionTrust(configs, { path, isTrusted: (asked) => asked === path });
  checkExtensionTrust([], { path, isTrusted: () => false });
});
