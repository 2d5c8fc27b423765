import { describe, expect, test } from "vitest";
import { LightHeaders } from "./light-headers.ts";

const inputs: [string, RequestInit["headers"]][] = [
  ["nothing", undefined],
  ["an object", { "User-Agent": "me", authorization: " Bearer k ", "X-A": "1" }],
  [
    "pairs",
    [
      ["b", "2"],
      ["A", "1"],
      ["B", "3"],
    ],
  ],
  ["headers", new Headers({ Accept: "text/html", "x-b": "ü" })],
];

describe.each(inputs)("made of %s, they are like the standard ones:", (_, input) => {
  const both = [new LightHeaders(input), new Headers(input)] as const;

  test("entries, names and values in order of the names", () => {
    const [ours, theirs] = both.map((headers) => {
      const visited: unknown[] = [];
      headers.forEach((value, name) => visited.push([name, value]));
      return [visited, [...headers.entries()], [...headers.keys()], [...headers.values()]];
    });
    expect(ours).toEqual(theirs);
  });

  test("what is set, added, deleted and asked for, in any case", () => {
    const [ours, theirs] = both.map((headers) => {
      headers.set("USER-agent", "you");
      headers.append("User-Agent", "both");
      headers.append("x-new", " n ");
      headers.delete("AUTHORIZATION");
      const names = ["User-Agent", "X-NEW", "authorization", "constructor", "__proto__"];
      return [names.map((name) => [headers.get(name), headers.has(name)]), [...headers]];
    });
    expect(ours).toEqual(theirs);
  });
});
