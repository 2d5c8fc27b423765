import { isRecord } from "../../../source/json.ts";
import { anyOf, type Arguments, textOption } from "../arguments.ts";

/** Returns the path of a converted file: a given path, or the source's name modified by `{ base_dir, file_name, suffix }`. */
export function destinationOf(
  args: Arguments,
  source: string,
  target: { suffix: string; extension: string },
): string {
  const given = anyOf(args, 2);
  if (typeof given === "string") return given;
  const slash = source.lastIndexOf("/") + 1;
  const stem = source.slice(slash).replace(/\.[^.]*$/, "");
  if (given !== undefined && given !== null && !isRecord(given) && !Array.isArray(given))
    throw new Error(`${args.name} expects a path or a table as argument 2`);
  const options = isRecord(given) ? given : {};
  const text = (key: string): string | undefined => textOption(args, options, key);
  const isPlain = text("base_dir") === undefined;
  const suffix = text("suffix") ?? (isPlain && options["slim"] !== false ? target.suffix : "");
  const name = text("file_name") ?? `${stem}${suffix}.${target.extension}`;
  const folder = text("base_dir")?.replace(/\/+$/, "") ?? source.slice(0, slash).replace(/\/$/, "");
  return folder === "" ? name : `${folder}/${name}`;
}
