import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/fixtures/tool-call.ts";
import { readLayer } from "./read-layer.ts";

async function read(
  rules: string,
  ownTools?: readonly string[],
): Promise<{ value: unknown; findings: string[]; message: string | undefined }> {
  const path = join(temporaryFolder(), "config.yaml");
  writeFileSync(path, `permissions:\n  ${rules}\n`);
  const { layer, diagnostics } = await readLayer(path, ownTools);
  const [key = ""] = rules.split(":");
  return {
    value: layer.get(`permissions.${key}`)?.value,
    findings: diagnostics.map(({ line, severity, code }) => `${line} ${severity} ${code}`),
    message: diagnostics[0]?.message,
  };
}

test("a rule names a tool of the program", async () => {
  const value = ["lookup(customer:*)"];
  expect(await read("deny: [lookup(customer:*)]", ["lookup"])).toMatchObject({
    value,
    findings: [],
  });
});

test("without the program, a rule that allows is a warning, and one that restricts is an error", async () => {
  const allow = await read("allow: [lookup(customer:*)]");
  expect(allow.value).toEqual(["lookup(customer:*)"]);
  expect(allow.findings).toEqual(["2 warning unknown-tool"]);
  for (const list of ["ask", "deny"]) {
    const { findings, message } = await read(`${list}: [lookup(customer:*)]`);
    expect(findings).toEqual(["2 error wrong-type"]);
    expect(message).toContain("Write `lookup*` for a tool that only a program passes");
  }
  expect((await read("deny: [lookup*]")).findings).toEqual([]);
});

test("a rule that allows a misspelt tool is an error", async () => {
  expect((await read("allow: [Bsh]")).findings).toEqual(["2 error wrong-type"]);
});
