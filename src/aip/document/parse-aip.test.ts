import { expect, test } from "vitest";
import { parseAip } from "./parse-aip.ts";

test("sections are found in any case and by any alias; text around code is a comment", () => {
  const aip = parseAip(
    [
      "# My agent",
      "",
      "# DATA",
      "Here we look:",
      "```lua",
      "return 1",
      "```",
      "and then ```lua",
      "# inst `cache = true`",
      "Do {{input}}",
      "## a heading inside",
      "```md",
      "# not a section",
      "```",
      "# Jedi Trick",
      "Yes",
      "# After all",
      "````lua",
      "local s = [[",
      "```",
      "]]",
      "````",
    ].join("\n"),
    "/p/a.aip",
  );
  expect(aip.scripts).toEqual({
    data: { code: "return 1", line: 6 },
    "after-all": { code: "local s = [[\n```\n]]", line: 19 },
  });
  expect(aip.prompts).toEqual([
    {
      role: "user",
      marks: "cache = true",
      line: 9,
      template: "Do {{input}}\n## a heading inside\n```md\n# not a section\n```\n",
    },
    { role: "assistant", marks: null, line: 15, template: "Yes\n" },
  ]);
  expect(aip.diagnostics).toEqual([
    expect.objectContaining({ severity: "warning", code: "aip-unknown-section", line: 1 }),
  ]);
});

test("options are TOML, and problems have places", () => {
  const good = parseAip(
    '# Options\n```toml\nmodel = "a"\ninput_concurrency = 4\n[model_aliases]\na = "b"\n```\n',
    "/p/a.aip",
  );
  expect(good.options).toEqual({ model: "a", input_concurrency: 4, model_aliases: { a: "b" } });
  const bad = parseAip(
    "# Options\n\n```toml\nmodel = \"a\"\ntemperature = 'hot'\n```\n",
    "/p/a.aip",
  );
  expect(bad.options).toEqual({ model: "a" });
  expect(bad.diagnostics).toEqual([
    expect.objectContaining({ severity: "error", code: "aip-options", line: 5, path: "/p/a.aip" }),
  ]);
  const nested = parseAip("# Options\n```toml\n[model_aliases]\n  a = 1\n```\n", "/p/a.aip");
  expect(nested.diagnostics).toMatchObject([{ line: 4, column: 3 }]);
  const deep = parseAip(`# Options\n\`\`\`toml\na${".a".repeat(9000)} = 1\n\`\`\`\n`, "/p/a.aip");
  expect(deep.diagnostics).toMatchObject([{ line: 3, code: "toml-invalid" }]);
  const broken = parseAip("# Options\n```toml\na = 1\nb = \n```\n", "/p/a.aip");
  expect(broken.diagnostics).toEqual([expect.objectContaining({ line: 4, severity: "error" })]);
});

test("the older # Config is read, but not together with # Options", () => {
  const config = '# Config\n```toml\n[genai]\nmodel = "m"\n[runtime]\ninput_concurrency = 3\n```\n';
  expect(parseAip(config, "/p/a.aip").options).toEqual({ model: "m", input_concurrency: 3 });
  const both = parseAip(`${config}# Options\n\`\`\`toml\n\`\`\`\n`, "/p/a.aip");
  expect(both.diagnostics).toEqual([expect.objectContaining({ code: "aip-options", line: 1 })]);
});

test("a section without code is a warning, and a repeated one runs as one", () => {
  const aip = parseAip(
    "# Output\njust words\n# Data\n```lua\nlocal a = 1\n```\n# Data\n```lua\nreturn a\n```\n# Before All\n\n",
    "/p/a.aip",
  );
  expect(aip.scripts).toEqual({ data: { code: "local a = 1\n\n\n\nreturn a", line: 5 } });
  expect(aip.diagnostics.map(({ code, line }) => [code, line])).toEqual([
    ["aip-no-code", 1],
    ["aip-section-twice", 7],
  ]);
});

test("an unclosed block in a prompt does not hide the sections below it", () => {
  const fence = "```";
  for (const open of ["````md", fence, `${fence}rust`]) {
    const prompt = `# User\nSuch as\n${open}\nx\n`;
    const aip = parseAip(`${prompt}\n# Output\n\n${fence}lua\nreturn 1\n${fence}\n`, "/p/a.aip");
    expect(aip.prompts).toMatchObject([{ template: `Such as\n${open}\nx\n\n` }]);
    expect(aip.scripts.output).toEqual({ code: "return 1", line: 9 });
  }
  const closed = `# User\n${fence}md\n# Output\n${fence}  \nx\n# Output\n${fence}lua\nreturn 1\n${fence}`;
  expect(parseAip(closed, "/p/a.aip").scripts.output).toEqual({ code: "return 1", line: 8 });
});

test("the first paragraph of # Description describes the agent, without a warning", () => {
  const text = "# Description\n\nChecks one\nor more files.\n\n- Usage\n\n# Data\n";
  expect(parseAip(text, "/p/a.aip")).toMatchObject({
    description: "Checks one or more files.",
    diagnostics: [],
  });
  expect(parseAip("# Description\n\n", "/p/a.aip")).not.toHaveProperty("description");
});

test("an unclosed fence, Windows line endings and an empty file are accepted", () => {
  const open = parseAip("# Data\r\n```lua\r\nreturn 1\r\n# Output\r\n", "/p/a.aip");
  expect(open.scripts).toEqual({ data: { code: "return 1\n# Output", line: 3 } });
  expect(parseAip("", "/p/a.aip")).toMatchObject({ scripts: {}, prompts: [], diagnostics: [] });
});
