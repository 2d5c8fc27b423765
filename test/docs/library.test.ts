import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../../docs");
const page = readFileSync(join(folder, "library.md"), "utf8");
const [guide = ""] = page.split("\n## Options\n");

/** The tasks of the guide: the title, the linked examples and the code of each. */
const tasks = guide
  .split("\n## ")
  .slice(1)
  .map((text) => ({
    title: text.split("\n")[0] ?? "",
    examples: Array.from(text.matchAll(/\((\.\.\/examples\/.*?\.ts)\)/g), ([, path = ""]) => path),
    code: /^```ts\n([^]*?)^```$/m.exec(text)?.[1] ?? "",
  }));

test.each(tasks)("the guide shows code of an executed example: $title", ({ examples, code }) => {
  const [path = ""] = examples;
  const example = readFileSync(join(folder, path), "utf8");
  const parts = code.split("// …\n");
  expect(parts.filter((part) => part === "" || !example.includes(part))).toEqual([]);
});

test("the guide has a task for each kind of extension", () => {
  const examples = tasks.flatMap((task) => task.examples).join();
  for (const number of ["05", "06", "07", "08", "09", "10", "12"])
    expect(examples).toContain(`/${number}-`);
});
