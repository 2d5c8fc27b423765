import { Container, Markdown, Text } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { SpacedContainer } from "./spaced-container.ts";

test("blocks with a line above and below are one line apart, others follow each other", () => {
  const container = new SpacedContainer();
  const theme = { heading: String } as unknown as ConstructorParameters<typeof Markdown>[3];
  for (const block of [
    new Text("note", 0, 0),
    new Text("question", 0, 1),
    new Container(),
    new Markdown("first\n\nsecond", 0, 1, theme),
    new Text("note", 0, 0),
    new Text("note", 0, 0),
  ]) {
    container.addChild(block);
  }
  const lines = container.render(40).map((line) => line.trim());
  const above = ["note", "", "question", ""];
  expect(lines).toEqual([...above, "first", "", "second", "", "note", "note"]);
});
