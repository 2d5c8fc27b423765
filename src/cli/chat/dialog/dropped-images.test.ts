import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { mentionDropped } from "./dropped-images.ts";
import { mentionedImages } from "./mentioned-images.ts";

const home = mkdtempSync(join(tmpdir(), "cadre-drop-"));
const folder = join(home, "project");
mkdirSync(folder);
const plain = join(home, "plain.png");
const spaced = join(home, "it's my 1st picture.JPG");
for (const path of [plain, spaced, join(home, "notes.txt"), join(folder, "own.webp")]) {
  writeFileSync(path, "x");
}
const fixture = { folder, home };
const escaped = spaced.replaceAll(/[ ']/g, String.raw`\$&`);

describe("the paths of images that a terminal pastes", () => {
  it.each([
    ["as they are", plain, `@${plain} `],
    ["as they are, with spaces", `${spaced} `, `@"${spaced}" `],
    ["with a line end", `${plain}\n`, `@${plain} `],
    ["escaped", `${escaped} `, `@"${spaced}" `],
    ["in single quotes", `'${spaced.replace("'", String.raw`'\''`)}'`, `@"${spaced}" `],
    ["in double quotes", `"${spaced}"`, `@"${spaced}" `],
    ["as URLs", pathToFileURL(spaced).href, `@"${spaced}" `],
    ["below the home folder", "~/plain.png", `@${plain} `],
    ["below the working folder", "own.webp", "@own.webp "],
    ["several at once", `'${plain}' ${escaped}`, `@${plain} @"${spaced}" `],
  ])("become mentions: %s", (_, text, mentions) => {
    expect(mentionDropped(text, fixture)).toBe(mentions);
  });

  it.each([
    "look at plain.png",
    `${plain} shows it`,
    join(home, "missing.png"),
    join(home, "notes.txt"),
    "file://elsewhere/picture.png",
    "",
    "'not closed.png",
    "x.png ".repeat(1_000_000),
  ])("stay text where they are part of a text, or no images: %#", (text) => {
    expect(mentionDropped(text, fixture)).toBeUndefined();
  });
});

describe("the images that a text mentions", () => {
  it("are sent by path in the working folder, and with their content from elsewhere", async () => {
    const text = `compare @own.webp, @./own.webp and @"${spaced}"; not @missing.png or @notes.txt`;
    expect(await mentionedImages(text, folder)).toEqual([
      { path: "own.webp" },
      { path: "own.webp" },
      { data: Buffer.from("x").toString("base64") },
    ]);
  });
});
