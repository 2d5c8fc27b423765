import { z } from "zod";
import { didYouMean } from "./nearest.ts";

/**
 * Creates a schema of an object with the keys of `shape` and no others. The message about an unknown key suggests the
 * nearest known key and lists all. Use it wherever ignoring a key would change the request.
 */
export function closedObject<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? refuseKeys(issue.keys, known) : undefined,
  });
}

function refuseKeys(keys: readonly string[], known: readonly string[]): string {
  const unknown = keys.map((key) => `\`${key}\` is not known.${didYouMean(key, known)}`);
  return `${unknown.join(" ")} Known: ${known.join(", ")}.`;
}
