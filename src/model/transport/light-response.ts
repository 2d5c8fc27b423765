import { LightHeaders } from "./light-headers.ts";

/** The parts of a {@link lightResponse}. */
export interface ResponseParts {
  status: number;
  statusText: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  url: string;
  /** The whole body, or a stream of it. */
  body: Uint8Array | ReadableStream<Uint8Array>;
}

/**
 * Creates a cheap `Response` with the members that providers' clients read.
 * The standard class validates and copies all its input. With one response per model call, this and a standard stream over a
 * complete body took a measurable part of a run's CPU.
 */
export function lightResponse(parts: ResponseParts): Response {
  return new LightResponse(parts) as unknown as Response;
}

/** Returns the whole body of an unread response that {@link lightResponse} made; `undefined` for any other response. */
export function wholeBody(response: Response): Uint8Array | undefined {
  return response instanceof LightResponse ? response.whole : undefined;
}

/** A class instead of closures, because its instances share methods. */
class LightResponse {
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly ok: boolean;
  readonly redirected = false;
  readonly type = "basic";
  readonly #headers: ResponseParts["headers"];
  readonly #content: Uint8Array | ReadableStream<Uint8Array>;
  #isRead = false;
  #stream: ReadableStream<Uint8Array> | undefined;
  #readHeaders: LightHeaders | undefined;

  constructor({ status, statusText, url, headers, body }: ResponseParts) {
    this.status = status;
    this.statusText = statusText;
    this.url = url;
    this.ok = status >= 200 && status < 300;
    this.#headers = headers;
    this.#content = body;
  }

  get headers(): LightHeaders {
    return (this.#readHeaders ??= new LightHeaders(this.#headers));
  }

  get whole(): Uint8Array | undefined {
    return this.#content instanceof Uint8Array && !this.bodyUsed ? this.#content : undefined;
  }

  get body(): ReadableStream<Uint8Array> {
    this.#stream ??= this.#content instanceof Uint8Array ? streamOf(this.#content) : this.#content;
    return this.#stream;
  }

  get bodyUsed(): boolean {
    return this.#isRead || this.#stream?.locked === true;
  }

  async bytes(): Promise<Uint8Array> {
    if (this.bodyUsed) throw new TypeError("Body is unusable: already read.");
    this.#isRead = true;
    return this.#content instanceof Uint8Array ? this.#content : await readAll(this.#content);
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text()) as unknown;
  }
}

type Chunk = { done: false; value: Uint8Array } | { done: true; value: undefined };

/** Creates a stream over complete bytes with the members that providers' clients use. They read it to its end or cancel it. */
function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let rest: Uint8Array | undefined = bytes.length === 0 ? undefined : bytes;
  let locked = false;
  const cancel = async (): Promise<void> => void (rest = undefined);
  const reader = {
    async read(): Promise<Chunk> {
      const value = rest;
      rest = undefined;
      return value === undefined ? { done: true, value } : { done: false, value };
    },
    cancel,
    releaseLock: () => void (locked = false),
  };
  const stream = {
    get locked() {
      return locked;
    },
    cancel,
    getReader() {
      if (locked) throw new TypeError("The stream is locked to another reader.");
      locked = true;
      return reader;
    },
  };
  return stream as unknown as ReadableStream<Uint8Array>;
}

async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
