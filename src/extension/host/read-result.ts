import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { JsonValue } from "../../source/json.ts";
import { imageType } from "../../tool/builtin/read-image.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import { plainLine } from "../plain-text.ts";

type Image = NonNullable<ToolOutcome["images"]>[number];

/** The maximum image size that providers accept, in bytes. */
const imageBytes = 5 * 1024 * 1024;
const maxImages = 20;
/** The length above which structured output stays text, which is cut and kept in a file. This keeps the journal small. */
const outputCharacters = 256 * 1024;

/** Converts a server's answer to an outcome: its text, its valid images, and a line about everything else. */
export function readResult(result: CallToolResult): ToolOutcome {
  const images: Image[] = [];
  const parts = result.content.map((block) => readBlock(block, images));
  const { structuredContent, isError } = result;
  const json = structuredContent === undefined ? "" : JSON.stringify(structuredContent);
  // Servers usually repeat structured output as text, but need not.
  if (parts.length === 0 && json !== "") parts.push(json);
  const isSmall = json.length <= outputCharacters;
  return {
    text: parts.join("\n") || "(no output)",
    ...(isError === true && { isError: true }),
    ...(images.length > 0 && { images }),
    ...(json !== "" && isSmall && { output: structuredContent as JsonValue }),
  };
}

function readBlock(block: ContentBlock, images: Image[]): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
      return showImage(block, images);
    case "audio":
      return `[audio, ${plainLine(block.mimeType, 60)}, ${sizeOf(block.data)} bytes: audio is not supported]`;
    case "resource_link":
      return `[resource ${plainLine(block.uri, 1000)}${describe(block.mimeType)}: ${plainLine(block.description ?? block.name, 500)}]`;
    case "resource":
      return readResource(block.resource, images);
  }
}

function readResource(
  resource: Extract<ContentBlock, { type: "resource" }>["resource"],
  images: Image[],
): string {
  const { uri, mimeType } = resource;
  const title = `[resource ${plainLine(uri, 1000)}${describe(mimeType)}`;
  if ("text" in resource) return `${title}]\n${resource.text}`;
  if (mimeType?.startsWith("image/") === true) {
    return `${title}]\n${showImage({ data: resource.blob, mimeType }, images)}`;
  }
  return `${title}, ${sizeOf(resource.blob)} bytes of binary data]`;
}

/**
 * Checks an image by its content instead of its declared type, because one unreadable image makes providers refuse the
 * whole conversation.
 */
export function showImage(image: { data: string; mimeType: string }, images: Image[]): string {
  const { data } = image;
  const start = Buffer.from(data.slice(0, 64), "base64");
  const mediaType = imageType(start);
  const size = sizeOf(data);
  const problem =
    mediaType === undefined
      ? "it is not a PNG, JPEG, GIF or WebP"
      : size > imageBytes
        ? `it is larger than ${imageBytes} bytes`
        : !/^[A-Za-z0-9+/]*={0,2}$/.test(data)
          ? "it is not base64"
          : images.length >= maxImages
            ? `only ${maxImages} are shown`
            : null;
  if (problem !== null || mediaType === undefined) {
    return `[image, ${plainLine(image.mimeType, 60)}, ${size} bytes: not shown, ${problem}]`;
  }
  images.push({ mediaType, data });
  return `[image ${images.length}, ${mediaType}, ${size} bytes]`;
}

function sizeOf(base64: string): number {
  return Math.floor((base64.replace(/={1,2}$/, "").length * 3) / 4);
}

function describe(mimeType: string | undefined): string {
  return mimeType === undefined ? "" : `, ${plainLine(mimeType, 60)}`;
}
