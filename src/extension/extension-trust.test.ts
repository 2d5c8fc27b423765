import { expect, it } from "vitest";
import type { ExtensionConfig } from "../run/extension-config.ts";
import { checkExtensionTrust } from "./extension-trust.ts";

const path = "/work/project/.cadre/config.yaml";
const configs: ExtensionConfig[] = [
  { name: "files", type: "stdio", command: "npx", args: ["-y", "files", "it's; rm -rf"] },
  { name: "web", type: "streamable_http", url: "https://web.example/mcp" },
];

it("extensions of a folder that is not trusted are refused, and the message says what would have run", () => {
  const check = (): void => checkExtensionTrust(configs, { path, isTrusted: () => false });
  expect(check).toThrow(
    String.raw`- MCP server files: npx -y files 'it'\''s; rm -rf'
- MCP server web: https://web.example/mcp
Read it, then run ${"`cadre trust`"} in the project`,
  );
  expect(check).toThrow(expect.objectContaining({ code: "not-trusted" }));
});

it("extensions of a trusted folder, and no extensions, are fine", () => {
  checkExtensionTrust(configs, { path, isTrusted: (asked) => asked === path });
  checkExtensionTrust([], { path, isTrusted: () => false });
});
