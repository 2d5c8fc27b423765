import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { FilledCommand, SpawnOptions } from "../host.ts";

/** The content of a prompt. */
export interface Prompt {
  task: string;
  images: NonNullable<SpawnOptions["images"]>;
  /** The command that the text stands for. */
  command?: FilledCommand;
}

/** Converts the blocks of a prompt: text, images, and files that the editor links or embeds. */
export function toPrompt(blocks: readonly ContentBlock[]): Prompt {
  const images = blocks.flatMap((block) =>
    block.type === "image" ? [{ data: block.data, mediaType: block.mimeType }] : [],
  );
  const texts = blocks.map(textOf).filter((text) => text !== "");
  const task = texts.join("").trim();
  return { task: task === "" && images.length > 0 ? "Look at the image." : task, images };
}

function textOf(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource_link") return ` @${pathOf(block.uri)} `;
  if (block.type !== "resource") return "";
  const { resource } = block;
  const name = pathOf(resource.uri);
  if (!("text" in resource)) return `\n(The file ${name} is attached and is not text.)\n`;
  return `\n<file path=${JSON.stringify(name)}>\n${resource.text}\n</file>\n`;
}

function pathOf(uri: string): string {
  return URL.canParse(uri) && uri.startsWith("file:")
    ? decodeURIComponent(new URL(uri).pathname)
    : uri;
}
