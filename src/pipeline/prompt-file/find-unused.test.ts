import { expect, test } from "vitest";
import type { JsonObject } from "../../source/json.ts";
import { findUnusedParameters } from "./find-unused.ts";

const messagesOf = (params: JsonObject): string[] =>
  findUnusedParameters(params).map(({ message }) => message);

test("the requested parts of a workbench are named", () => {
  expect(messagesOf({ workbench: { chat: true, plan: "docs/plan.md", spec: false } })).toEqual([
    "`workbench` has no effect here: Cadre neither makes its files (chat, plan) nor gives them to the coder. Agents see the parameter.",
  ]);
  expect(messagesOf({ dev: true })).toEqual([
    expect.stringMatching(/^`dev` .* makes its files nor/),
  ]);
  expect(messagesOf({ workbench: { chat: { enabled: false } } })).toEqual([
    expect.stringMatching(/neither makes its files nor/),
  ]);
});

test("a disabled workbench and known parameters cause no finding", () => {
  const off = [{ workbench: false }, { workbench: null }, { dev: { enabled: false, chat: true } }];
  for (const params of [...off, { write_mode: true }, { context_globs: ["a"] }]) {
    expect(messagesOf(params)).toEqual([]);
  }
});

test("write_mode: false suggests a read-only run", () => {
  expect(findUnusedParameters({ write_mode: false })).toMatchObject([
    { code: "write-mode", fix: "Run it with `--mode plan`, which is read-only." },
  ]);
});
