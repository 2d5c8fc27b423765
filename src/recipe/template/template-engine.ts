import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Environment, initSync } from "minijinja-js/dist/web/minijinja_js.js";

/** The maximum memory of templates, in pages of 64 KiB. */
const maxPages = 512;

/** The maximum number of steps of a template. A loop of a thousand rounds takes about ten thousand. */
export const maxSteps = 500_000;

let isReady = false;

/**
 * Creates an environment of the template engine with limited memory. The limit stops a template that repeatedly doubles a text,
 * because steps do not measure the size of values.
 */
export function createEnvironment(): Environment {
  if (!isReady) {
    const path = fileURLToPath(import.meta.resolve("minijinja-js/dist/web/minijinja_js_bg.wasm"));
    initSync({ module: boundMemory(readFileSync(path), maxPages) });
    isReady = true;
  }
  const environment = new Environment();
  environment.fuel = maxSteps;
  environment.debug = false;
  return environment;
}

/** Reports whether the engine itself failed, usually for lack of memory. It must not be used again. */
export function isBreakdown(error: unknown): boolean {
  return error instanceof Error && error.name === "RuntimeError";
}

const headerBytes = 8;
const memorySection = 5;

/** Adds a maximum to the memory of a WebAssembly module. */
function boundMemory(module: Uint8Array, pages: number): Uint8Array<ArrayBuffer> {
  let at = headerBytes;
  while (at < module.length) {
    const size = readNumber(module, at + 1);
    const end = size.next + size.value;
    if (module[at] === memorySection) {
      const count = readNumber(module, size.next);
      const minimum = readNumber(module, count.next + 1);
      const body = [1, 1, ...writeNumber(minimum.value), ...writeNumber(pages)];
      const section = Uint8Array.from([memorySection, ...writeNumber(body.length), ...body]);
      return new Uint8Array(Buffer.concat([module.subarray(0, at), section, module.subarray(end)]));
    }
    at = end;
  }
  throw new Error("Expected the template engine to have its own memory.");
}

/** Reads a LEB128 number: seven bits per byte, the lowest first. */
function readNumber(bytes: Uint8Array, start: number): { value: number; next: number } {
  let value = 0;
  for (let at = start, shift = 0; ; at += 1, shift += 7) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, next: at + 1 };
  }
}

function writeNumber(value: number): number[] {
  const low = value & 0x7f;
  return value < 0x80 ? [low] : [low | 0x80, ...writeNumber(value >>> 7)];
}
