import { expect, test } from "vitest";
import type { ExtensionConfig } from "../run/extension-config.ts";
import { toMcpServers } from "./mcp-servers.ts";

test("a runner does not get an optional extension that cannot be started, and the result says so", () => {
  const config: ExtensionConfig = {
    name: "hub",
    type: "stdio",
    command: "hub",
    args: [],
    environmentKeys: ["NEVER_SET"],
  };
  expect(() => toMcpServers([config], {}, true)).toThrow("not set: NEVER_SET");
  const { servers, warnings } = toMcpServers([{ ...config, optional: true }], {}, true);
  expect(servers).toEqual([]);
  expect(warnings).toEqual([expect.stringMatching(/not set: NEVER_SET.*continued without it\.$/)]);
});
