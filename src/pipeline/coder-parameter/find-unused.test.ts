import { expect, test } from "vitest";
import type { JsonObject } from "../../source/json.ts";
import { findUnusedParameters } from "./find-unused.ts";

const messagesOf = (params: JsonObject): string[] =>
  findUnusedParameters(params).map(({ message }) => message);

test("the parts of a workbench that are asked for are named", () => {
  expect(messagesOf({ workbench: { chat: true, plan: "docs/plan.md", spec: false } })).toEqual([
    "`workbench` means nothing here: its files (chat, plan) are neither made nor given to the coder. Agents find it in their parameters.",
  ]);
  expect(messagesOf({ dev: true })).toEqual([expect.stringMatching(/^`dev` .* its files are/)]);
  expect(messagesOf({ workbench: { chat: { enabled: false } } })).toEqual([
    expect.stringMatching(/its files are neither/),
  ]);
});

test("a workbench that is switched off is no finding, nor are parameters that mean something", () => {
  const off = [{ workbench: false }, { workbench: null }, { dev: { enabled: false, chat: true } }];
  for (const params of [...off, { write_mode: true }, { context_globs: ["a"] }]) {
    expect(messagesOf(params)).toEqual([]);
  }
});

test("write_mode: false says how to run read only", () => {
  expect(findUnusedParameters({ write_mode: false })).toMatchObject([
    { code: "write-mode", fix: "Run it with `--mode plan`, which is read only." },
  ]);
});
