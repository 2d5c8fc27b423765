import { expect, test } from "vitest";
import { nameFlags } from "./name-flags.ts";

test.each([
  ["or use the option `trust` for one run.", "or use --trust for one run."],
  ["Add the option `mode` set to `auto` if it may.", "Add --mode auto if it may."],
  ["given with the option `parameters`;", "given with --param KEY=VALUE;"],
  [
    "Expected the option `registry` to be a folder.",
    "Expected the option `registry` to be a folder.",
  ],
  ["Write `mode: auto`.", "Write `mode: auto`."],
])("%s", (message, named) => {
  expect(nameFlags(message)).toBe(named);
});
