import { statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isImageName } from "./mentioned-images.ts";
import { splitWords } from "../../../host.ts";

/** The base folders of relative paths and of `~`. */
export interface BaseFolders {
  folder: string;
  home: string;
}

/**
 * Returns mentions of images in place of their paths. A terminal pastes the path of a dropped file as it is, quoted or escaped as in a
 * shell, or as a `file:` URL. Returns `undefined` for text that contains anything other than image paths.
 */
export function mentionDropped(text: string, base: BaseFolders): string | undefined {
  const whole = text.trim();
  if (!/\.\w+['"]?$/.test(whole) || whole.length > longest) return undefined;
  const mentions = mentionAll([whole], base) ?? mentionAll(splitWords(whole) ?? [], base);
  return mentions === undefined ? undefined : `${mentions.join(" ")} `;
}

/** The longest text that is checked for paths, in characters. */
const longest = 20_000;

function mentionAll(words: readonly string[], base: BaseFolders): string[] | undefined {
  const paths = words.map((word) => toPath(word, base));
  if (paths.length === 0 || !paths.every((path) => isImage(path, base))) return undefined;
  return paths.map((path) => (/[\s,;:!?]/.test(path) ? `@"${path}"` : `@${path}`));
}

function toPath(word: string, { home }: BaseFolders): string {
  if (word.startsWith("~/")) return resolve(home, word.slice(2));
  try {
    return word.startsWith("file:") ? fileURLToPath(word) : word;
  } catch {
    // The URL names another machine.
    return "";
  }
}

function isImage(path: string, { folder }: BaseFolders): boolean {
  // A mention cannot name such a file.
  if (!isImageName(path) || /["\p{Cc}]/u.test(path)) return false;
  return statSync(resolve(folder, path), { throwIfNoEntry: false })?.isFile() === true;
}
