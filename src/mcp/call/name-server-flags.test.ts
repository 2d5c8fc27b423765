import { expect, test } from "vitest";
import { nameServerFlags } from "./name-server-flags.ts";

test.each([
  [
    "or use the option `trust` for one run.",
    "or use the flag `--trust` of `cadre mcp` for one run.",
  ],
  ["Add the option `mode` set to `auto`.", "Add the flag `--mode auto` of `cadre mcp`."],
  ["The option is `trust`; the option `agents`.", "The option is `trust`; the option `agents`."],
])("options in an error become flags of the server: %s", (message, expected) => {
  expect(nameServerFlags(message)).toBe(expected);
});
