import type { Stats } from "node:fs";
import type { JsonObject } from "../../source/json.ts";
import { describePath } from "../library/path.ts";

const binary: ReadonlySet<string> = new Set(
  (
    "png jpg jpeg gif webp bmp ico tiff avif heic pdf doc docx xls xlsx ppt pptx odt zip gz tgz bz2 xz zst 7z rar tar jar war " +
    "exe dll so dylib bin o a lib class pyc wasm mp3 mp4 m4a wav ogg flac avi mov mkv webm ttf otf woff woff2 eot db " +
    "sqlite sqlite3 parquet aipack"
  ).split(" "),
);

/** Describes a file for scripts: the parts of its name and, from `status`, its size and its times in microseconds. */
export function fileInfo(path: string, status?: Stats): JsonObject {
  const info = describePath(path);
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const isText = !binary.has(extension);
  if (status === undefined) return { ...info, is_likely_text: isText };
  return {
    ...info,
    ctime: Math.round(status.birthtimeMs * 1000),
    mtime: Math.round(status.mtimeMs * 1000),
    size: status.size,
    is_likely_text: isText,
  };
}
