import { wrongValue } from "./session-options.ts";
import type { FilledCommand, SpawnOptions } from "../../host.ts";

/** A block of a prompt, in either version of the protocol. */
export type GivenBlock =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string }
  | { type: "resource_link"; uri: string }
  | { type: "resource"; resource: { uri: string; text?: string } };

/** The content of a prompt. */
export interface Prompt {
  task: string;
  images: NonNullable<SpawnOptions["images"]>;
  /** The command that the text invokes. */
  command?: FilledCommand;
}

const known: ReadonlySet<string> = new Set(["text", "image", "resource_link", "resource"]);

/**
 * Converts the blocks of a prompt: text, images, and files that the editor links or embeds.
 *
 * @throws CadreError `invalid-argument` for another block, such as audio, and for a prompt without text and images.
 */
export function toPrompt(blocks: readonly GivenBlock[]): Prompt {
  const other = blocks.find(({ type }) => !known.has(type));
  if (other !== undefined) {
    throw wrongValue("prompt", "text, images, links and embedded files", other.type);
  }
  const images = blocks.flatMap((block) =>
    block.type === "image" ? [{ data: block.data, mediaType: block.mimeType }] : [],
  );
  const texts = blocks.map(textOf).filter((text) => text !== "");
  const task = texts.join("").trim();
  if (task === "" && images.length === 0)
    throw wrongValue("prompt", "a text or an image", "neither");
  return { task: task === "" && images.length > 0 ? "Look at the image." : task, images };
}

function textOf(block: GivenBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") return ` @${pathOf(block.uri)} `;
  if (block.type !== "resource") return "";
  const { resource } = block;
  const name = pathOf(resource.uri);
  if (resource.text === undefined) return `\n(The file ${name} is attached and is not text.)\n`;
  return `\n<file path=${JSON.stringify(name)}>\n${resource.text}\n</file>\n`;
}

function pathOf(uri: string): string {
  return URL.canParse(uri) && uri.startsWith("file:")
    ? decodeURIComponent(new URL(uri).pathname)
    : uri;
}
