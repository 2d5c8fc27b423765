import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { SpawnOptions } from "../../../host.ts";

const mention = /(?:^|\s)@(?:"([^"\n]+)"|(\S+?))(?=[\s,;:!?]|$)/gu;
const imageName = /\.(png|jpe?g|gif|webp)$/i;

/** Returns the images that a text mentions as `@path`, for a request. Paths are relative to `folder`; others stay text. */
export async function mentionedImages(
  text: string,
  folder: string,
): Promise<NonNullable<SpawnOptions["images"]>> {
  const paths = new Set(
    Array.from(text.matchAll(mention), ([, quoted, plain]) => quoted ?? plain ?? ""),
  );
  const images = [...paths].filter((path) => imageName.test(path));
  const found = await Promise.all(images.map((path) => isFile(resolve(folder, path))));
  return images.filter((_path, index) => found[index]).map((path) => ({ path }));
}

async function isFile(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() === true;
}
