import { expect, test } from "vitest";
import type { AskHost } from "../arguments.ts";
import { changeFile } from "./change-file.ts";

test("a change is repeated on the new content when another writer replaced the file in the meantime", () => {
  let content = "one";
  const others = ["two", "three"];
  const ask: AskHost = (name, ...args) => {
    if (name === "path.kind") return "file";
    if (name === "file.hash") return content;
    if (name === "file.load") return { content };
    const [, text, , base] = args;
    const other = others.shift();
    if (other !== undefined) content = other;
    if (base !== content) return false;
    content = text as string;
    return { size: content.length };
  };
  const seen: (string | undefined)[] = [];
  const result = changeFile(ask, "a.txt", (before) => {
    seen.push(before);
    return { content: `${before}!` };
  });
  expect(seen).toEqual(["one", "two", "three"]);
  expect(result).toEqual({ content: "three!", info: { size: 6 } });
  expect(content).toBe("three!");
});

test("an unchanged file is not written", () => {
  const ask: AskHost = (name) => {
    if (name === "path.kind") return null;
    throw new Error(`the host was asked for ${name}`);
  };
  expect(changeFile(ask, "a.txt", () => ({ content: undefined }))).toEqual({
    content: undefined,
    info: undefined,
  });
});
