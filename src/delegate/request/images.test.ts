import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/tool-call.ts";
import type { JsonObject } from "../../source/json.ts";
import { storeImages } from "./images.ts";

const png = Buffer.from("\x89PNG\r\n\x1A\nrest of it", "latin1");
const jpeg = Buffer.from("\xFF\xD8\xFFrest", "latin1");

/** Stores images like a registry. */
function createStore(): { stored: JsonObject[]; putContent: (value: JsonObject) => string } {
  const stored: JsonObject[] = [];
  return { stored, putContent: (value) => `hash-${stored.push(value)}` };
}

describe("the images of a task", () => {
  test("are stored by their content, whether given as base64, as a data URL or as a file", async () => {
    const workspace = temporaryFolder();
    writeFileSync(join(workspace, "a.png"), png);
    const data = jpeg.toString("base64");
    const store = createStore();
    const images = [
      { path: "a.png" },
      { data, mediaType: "image/jpg" },
      { data: `data:image/jpeg;base64,${data.slice(0, 4)}\n${data.slice(4)}` },
    ];
    expect(await storeImages(store, images, workspace)).toEqual([
      { mediaType: "image/png", content: "hash-1" },
      { mediaType: "image/jpeg", content: "hash-2" },
      { mediaType: "image/jpeg", content: "hash-3" },
    ]);
    expect(store.stored).toEqual([{ data: png.toString("base64") }, { data }, { data }]);
  });

  test("are refused with all their problems, and none is stored", async () => {
    const root = temporaryFolder();
    const workspace = join(root, "workspace");
    mkdirSync(join(workspace, "folder"), { recursive: true });
    writeFileSync(join(root, "outside.png"), png);
    writeFileSync(join(workspace, "text.png"), "no picture");
    writeFileSync(join(workspace, "fine.png"), png);
    symlinkSync(join(root, "outside.png"), join(workspace, "link.png"));
    const store = createStore();
    const images = [
      {},
      { data: "", path: "fine.png" },
      { data: "not base64!" },
      { data: Buffer.from("hello").toString("base64") },
      { data: png.toString("base64"), mediaType: "image/gif" },
      { data: `data:image/webp;base64,${png.toString("base64")}` },
      { path: "missing.png" },
      { path: "../outside.png" },
      { path: "link.png" },
      { path: "folder" },
      { path: "text.png" },
      { path: "fine.png" },
    ];
    const refusal = storeImages(store, images, workspace);
    await expect(refusal).rejects.toMatchObject({ code: "invalid-argument" });
    const error: unknown = await refusal.catch((thrown: unknown) => thrown);
    const lines = (error as Error).message.split("\n");
    expect(lines[0]).toBe("The images of the task cannot be used:");
    const expected = [
      "image 1: expected either `data` (base64) or `path`, got neither",
      "image 2: expected either `data` (base64) or `path`, got both",
      "image 3: expected `data` to be base64",
      "image 4: expected a png, jpeg, gif or webp",
      "image 5: it is declared as image/gif, but its bytes are image/png",
      "image 6: it is declared as image/webp, but its bytes are image/png",
      "image 7: ",
      "is outside the workspace",
      "is outside the workspace",
      "is a folder",
      "image 11: expected a png, jpeg, gif or webp",
    ];
    expect(lines).toHaveLength(expected.length + 1);
    for (const [index, part] of expected.entries()) expect(lines[index + 1]).toContain(part);
    expect(lines[7]).toContain("does not exist");
    expect(store.stored).toEqual([]);
  });

  test("are refused when they are too large or too many", async () => {
    const workspace = temporaryFolder();
    const large = Buffer.alloc(20 * 1024 * 1024 + 1);
    png.copy(large);
    writeFileSync(join(workspace, "large.png"), large);
    const both = [{ path: "large.png" }, { data: large.toString("base64") }];
    await expect(storeImages(createStore(), both, workspace)).rejects.toThrow(
      /image 1: it has 20.0 MiB; at most 20.0 MiB[^]*image 2: it has 20.0 MiB/,
    );
    const many = Array.from({ length: 21 }, () => ({ data: png.toString("base64") }));
    await expect(storeImages(createStore(), many, workspace)).rejects.toThrow("at most 20 images");
  });
});
