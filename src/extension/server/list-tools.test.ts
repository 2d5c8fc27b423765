import { expect, it } from "vitest";
import { createExtensionFixture } from "../../../test/fixtures/mcp/extension-fixture.ts";

it("invalid tools are left out with a warning, on every page, and the others get names that providers accept", async () => {
  const { host, raw } = createExtensionFixture();
  const { tools, warnings } = await host.acquire("root", [raw("odd-tools")]);
  const names = tools.map(({ name }) => name);
  expect(names).toEqual([
    "mcp__raw__get_issue",
    expect.stringMatching(/^mcp__raw__get_issue_[0-9a-f]{8}$/),
    "mcp__raw__del_issue___31m",
    expect.stringMatching(/^mcp__raw__x{45}_[0-9a-f]{8}$/),
  ]);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(tools.map(({ description }) => description)[0]).toBe("reads");
  const reasons = warnings.map((warning) => warning.replace(/^A tool of the MCP server raw /, ""));
  expect(reasons).toEqual([
    'The MCP server raw offers two tools named "get_issue"; the first one is used.',
    'was left out: "no-schema" has no schema of its arguments.',
    'was left out: "wrong-schema" has a schema with invalid properties.',
    'was left out: "no-object" has a schema that is not of the type object.',
    "was left out: it has no name.",
    'was left out: an object was expected, got "\\"no tool at all\\"".',
  ]);
});

it("allow and deny patterns match the server's own names, and a pattern that matches nothing is a warning", async () => {
  const { host, raw } = createExtensionFixture();
  const config = { ...raw("odd-tools"), allow: ["get*", "put*"], deny: ["get.*"] };
  const { tools, warnings } = await host.acquire("root", [config]);
  expect(tools.map(({ name }) => name)).toEqual(["mcp__raw__get_issue"]);
  expect(warnings.at(-1)).toContain('names "put*", but none of its tools has such a name');
});

it("a tool needs permission unless the configuration lists it as read-only, whatever the server claims", async () => {
  const { host, raw } = createExtensionFixture();
  const { tools } = await host.acquire("root", [{ ...raw("odd-tools"), readOnly: ["get_*"] }]);
  expect(tools.map(({ access }) => access)).toEqual(["read", "execute", "execute", "execute"]);
});

it("an endless list fails the acquisition", async () => {
  const { host, raw } = createExtensionFixture();
  const failed = host.acquire("root", [raw("endless-list")]);
  await expect(failed).rejects.toThrow("its list has more than 64 pages");
});
