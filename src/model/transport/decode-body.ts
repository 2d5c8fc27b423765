import type { Transform } from "node:stream";
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import type { BodySink } from "./body-sink.ts";

/** By the name in `content-encoding`; servers and proxies use others than they were offered. */
const decoders: Readonly<Record<string, (first: Uint8Array) => Transform>> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
  // It should have a header of zlib, and often has none.
  deflate: (first) => (((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()),
};

/** Undoes `encoding`, a list as in `content-encoding`, on the way to `sink`; `undefined` for one that nobody knows. */
export function decodeBody(encoding: string, sink: BodySink): BodySink | undefined {
  const names = encoding
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (names.some((name) => !Object.hasOwn(decoders, name))) return undefined;
  // The last one was applied last.
  return names.reduce((inner, name) => decodeOne(name, inner), sink);
}

function decodeOne(name: string, sink: BodySink): BodySink {
  let decoder: Transform | undefined;
  const open = (first: Uint8Array): Transform => {
    const opened = decoders[name]?.(first) ?? createGunzip();
    opened.on("data", (chunk: Uint8Array) => sink.push(chunk));
    opened.on("end", () => sink.end());
    opened.on("error", (cause) => sink.fail(unreadable(name, cause)));
    return opened;
  };
  return {
    push(chunk) {
      decoder ??= open(chunk);
      decoder.write(chunk);
    },
    end() {
      if (decoder === undefined) sink.end();
      else decoder.end();
    },
    fail(error) {
      decoder?.destroy();
      sink.fail(error);
    },
  };
}

/** With a code like those of gzip, by which failures of the transport are known. */
function unreadable(name: string, cause: Error): Error {
  const { code = "" } = cause as NodeJS.ErrnoException;
  const message = `The compression (${name}) is broken: ${cause.message}`;
  const known = code.startsWith("Z_") ? code : "Z_DATA_ERROR";
  return Object.assign(new Error(message), { code: known });
}
