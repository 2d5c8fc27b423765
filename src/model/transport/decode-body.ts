import type { Transform } from "node:stream";
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import type { BodySink } from "./body-sink.ts";

/** Decoders by their name in `content-encoding`. Servers and proxies also use encodings that the request did not offer. */
const decoders: Readonly<Record<string, (first: Uint8Array) => Transform>> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
  // Deflate data should have a zlib header but often has none.
  deflate: (first) => (((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()),
};

/**
 * Wraps `sink` so that it receives the body decoded from `encoding`, a list as in `content-encoding`. Returns `undefined` for an
 * unknown encoding.
 */
export function decodeBody(encoding: string, sink: BodySink): BodySink | undefined {
  if (encoding === "") return sink;
  const names = encoding
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (names.some((name) => !Object.hasOwn(decoders, name))) return undefined;
  // The last encoding in the list was applied last, so it is removed first.
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

/** Creates an error with a code like those of zlib, which marks it as a transport error. */
function unreadable(name: string, cause: Error): Error {
  const { code = "" } = cause as NodeJS.ErrnoException;
  const message = `The compression (${name}) is broken: ${cause.message}`;
  const known = code.startsWith("Z_") ? code : "Z_DATA_ERROR";
  return Object.assign(new Error(message), { code: known });
}
