// The artifacts of a run: images in its journal, and long outputs in the folder of the registry.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { CadreError } from "../../errors.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Run } from "../../run/run.ts";
import { isRunId } from "../../run/run-id.ts";
import { isRecord, type JsonValue } from "../../source/json.ts";
import { imageType } from "../../tool/builtin/read-image.ts";
import { outputFileName } from "../../tool/output/output-cap.ts";
import { openRegular, statusOf } from "../../tool/path/regular-file.ts";
import type { ArtifactContent, RunArtifact } from "./artifact.ts";

/** The location of a run's artifacts. */
export interface ArtifactSource {
  registry: Registry;
  /** The folder of the registry. */
  folder: string;
  run: Run;
}

/** Lists the artifacts of a run: of its task, of its results, and its long outputs. */
export async function listArtifacts(source: ArtifactSource): Promise<RunArtifact[]> {
  const steps = new Map<string, string>();
  return [
    ...(await listTaskImages(source)),
    ...(await listImages(source, steps)),
    ...(await listOutputs(source, steps)),
  ];
}

/** Opens an artifact. @throws CadreError `invalid-argument` when the run has none with this id. */
export async function openArtifact(source: ArtifactSource, id: string): Promise<ArtifactContent> {
  const [, kind = "", rest = ""] = /^(task|image|output)\.(.+)$/.exec(id) ?? [];
  const found =
    kind === "task"
      ? await openTaskImage(source, rest)
      : kind === "image"
        ? await openImage(source, rest)
        : kind === "output"
          ? await openOutput(source, rest)
          : undefined;
  if (found !== undefined) return found;
  const message = `Expected the id of an artifact of the run ${source.run.id}; got ${JSON.stringify(id)}. Its list of artifacts has the ids.`;
  throw new CadreError("invalid-argument", message);
}

async function listTaskImages({ registry, run }: ArtifactSource): Promise<RunArtifact[]> {
  const images = (await registry.spec(run.id))?.images ?? [];
  const listed: RunArtifact[] = [];
  for (const [index, { content }] of images.entries()) {
    const data = (await registry.content(content))?.["data"];
    const image = describeImage(data);
    if (image === undefined) continue;
    listed.push({ id: `task.${index}`, kind: "task-image", step: null, ...image });
  }
  return listed;
}

/** Also adds the name of each step's outputs to `steps`. */
async function listImages(
  { registry, run }: ArtifactSource,
  steps: Map<string, string>,
): Promise<RunArtifact[]> {
  const listed: RunArtifact[] = [];
  let after = 0;
  for (;;) {
    const finished = await registry.events(run.id, { after, limit: stepsAtOnce, types });
    for (const { seq, ...event } of finished) {
      if (event.type !== "step-finished") continue;
      steps.set(outputFileName(event.key), event.key);
      for (const [index, one] of imagesOf(event.value).entries()) {
        const image = describeImage(one);
        if (image === undefined) continue;
        listed.push({ id: `image.${seq}.${index}`, kind: "image", step: event.key, ...image });
      }
    }
    after = finished.at(-1)?.seq ?? after;
    if (finished.length < stepsAtOnce) return listed;
  }
}

/** A small number, because each step may have images of several megabytes. */
const stepsAtOnce = 50;
const types = ["step-finished"] as const;

async function listOutputs(
  source: ArtifactSource,
  steps: ReadonlyMap<string, string>,
): Promise<RunArtifact[]> {
  const folder = outputFolder(source);
  const names = folder === undefined ? [] : await readdir(folder).catch(() => []);
  const listed: RunArtifact[] = [];
  for (const name of names.filter((one) => outputName.test(one)).toSorted()) {
    const stats = await statusOf(join(folder ?? "", name));
    if (stats?.isFile() !== true) continue;
    const { size: bytes } = stats;
    const id = `output.${name}`;
    const base = name.replace(/\.txt$/, "");
    const step = steps.get(base) ?? steps.get(base.replace(/-\d+$/, "")) ?? null;
    listed.push({ id, kind: "output", step, mediaType: "text/plain", bytes });
  }
  return listed;
}

/** Other files that tools write beside the outputs have other names, or are folders. */
const outputName = /^[\w-][\w.-]*\.txt$/;

function outputFolder({ folder, run }: ArtifactSource): string | undefined {
  const { id, rootId, conversation = rootId } = run;
  // Ids in a journal from elsewhere may be any path.
  return isRunId(id) && isRunId(conversation)
    ? join(folder, "outputs", conversation, id)
    : undefined;
}

async function openTaskImage(
  { registry, run }: ArtifactSource,
  index: string,
): Promise<ArtifactContent | undefined> {
  const image = /^\d+$/.test(index)
    ? (await registry.spec(run.id))?.images?.[Number(index)]
    : undefined;
  return image && toContent((await registry.content(image.content))?.["data"]);
}

async function openImage(
  { registry, run }: ArtifactSource,
  rest: string,
): Promise<ArtifactContent | undefined> {
  const [, seq, index] = /^(\d{1,15})\.(\d{1,3})$/.exec(rest) ?? [];
  if (seq === undefined || seq === "0") return undefined;
  const [event] = await registry.events(run.id, { after: Number(seq) - 1, limit: 1 });
  if (event?.type !== "step-finished" || event.seq !== Number(seq)) return undefined;
  return toContent(imagesOf(event.value)[Number(index)]);
}

async function openOutput(
  source: ArtifactSource,
  name: string,
): Promise<ArtifactContent | undefined> {
  const folder = outputFolder(source);
  if (folder === undefined || !outputName.test(name)) return undefined;
  const path = join(folder, name);
  if ((await statusOf(path))?.isFile() !== true) return undefined;
  const { handle, stats } = await openRegular(path);
  // A file that grows during the read must not exceed the announced size.
  const reading = handle.createReadStream({ start: 0, end: Math.max(stats.size - 1, 0) });
  const content = Readable.toWeb(reading) as ReadableStream<Uint8Array>;
  return { mediaType: "text/plain", bytes: stats.size, content };
}

/** Journals are untrusted, so the bytes decide what is an image. */
function imagesOf(value: JsonValue): JsonValue[] {
  const images = isRecord(value) ? value["images"] : undefined;
  if (!Array.isArray(images)) return [];
  return images.map((image: unknown) => (isRecord(image) ? (image["data"] as JsonValue) : null));
}

function describeImage(data: unknown): Pick<RunArtifact, "mediaType" | "bytes"> | undefined {
  if (typeof data !== "string") return undefined;
  const mediaType = imageType(Buffer.from(data.slice(0, 64), "base64"));
  return mediaType === undefined
    ? undefined
    : { mediaType, bytes: Buffer.byteLength(data, "base64") };
}

function toContent(data: unknown): ArtifactContent | undefined {
  const image = describeImage(data);
  if (image === undefined) return undefined;
  const bytes = Buffer.from(String(data), "base64");
  const content = new Blob([bytes]).stream() as ReadableStream<Uint8Array>;
  return { mediaType: image.mediaType, bytes: bytes.byteLength, content };
}
