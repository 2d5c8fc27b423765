import { loadLazily } from "../load-lazily.ts";
import type * as Entities from "./entity-library.ts";

/** Replaces the HTML entities in `text`. Keeps unknown ones and those without a semicolon. */
export function decodeEntities(text: string): string {
  const library = loadLazily("./entity-library", import.meta.url) as typeof Entities;
  return library.decodeHTMLStrict(text);
}
