import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";

/** A file or folder in an archive. */
export interface ZipEntry {
  /** The stored name; a folder's ends with a slash. */
  name: string;
  /** The unpacked size in bytes. */
  size: number;
  isLink: boolean;
}

interface StoredEntry extends ZipEntry {
  flags: number;
  method: number;
  checksum: number;
  packedSize: number;
  /** The offset of its local header. */
  offset: number;
}

const signatures = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50 } as const;
const sizes = { local: 30, central: 46, end: 22 } as const;
const methods = { stored: 0, deflated: 8 } as const;
const version = 20;
/** The flag for UTF-8 names. */
const utf8 = 0x0800;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** An opened archive. */
export interface ZipArchive {
  /** In archive order. */
  entries: readonly ZipEntry[];
  /**
   * Returns the content of a file; `undefined` when the archive has none of that name.
   *
   * @throws Error when the entry is broken, encrypted, too large or compressed in an unknown way.
   */
  read(name: string): Buffer | undefined;
}

/**
 * Opens an archive.
 *
 * @throws Error for an invalid archive.
 */
export function openZip(bytes: Buffer): ZipArchive {
  const stored = guarded(() => readDirectory(bytes));
  return {
    entries: stored.map(({ name, size, isLink }) => ({ name, size, isLink })),
    read(name) {
      const entry = stored.findLast((one) => one.name === name);
      return entry === undefined ? undefined : guarded(() => unpack(bytes, entry));
    },
  };
}

/** The size limit of an unpacked file, in bytes. */
const maxBytes = 32 * 1024 * 1024;

/** Turns a read past the end of the buffer into an error: the archive is broken. */
function guarded<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (error instanceof ZipError) throw error;
    throw new ZipError("the archive is broken", { cause: error });
  }
}

class ZipError extends Error {}

function readDirectory(bytes: Buffer): StoredEntry[] {
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffffffff)
    throw new ZipError("the archive is a ZIP64, which is not supported");
  return Array.from({ length: count }, () => {
    if (bytes.readUInt32LE(at) !== signatures.central)
      throw new ZipError("the archive is broken: its directory lacks an entry");
    const nameEnd = at + sizes.central + bytes.readUInt16LE(at + 28);
    const entry = {
      name: decoder.decode(bytes.subarray(at + sizes.central, nameEnd)),
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      checksum: bytes.readUInt32LE(at + 16),
      packedSize: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      // The upper half contains Unix mode bits.
      isLink: bytes.readUInt32LE(at + 38) >>> 28 === 0xa,
      offset: bytes.readUInt32LE(at + 42),
    };
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    return entry;
  });
}

/** Finds the end of the directory, which a comment of at most 65535 bytes may follow. */
function findEnd(bytes: Buffer): number {
  const last = bytes.length - sizes.end;
  for (let at = last; at >= Math.max(0, last - 0xffff); at -= 1) {
    if (bytes.readUInt32LE(at) === signatures.end) return at;
  }
  throw new ZipError("it is not a ZIP archive");
}

function unpack(bytes: Buffer, entry: StoredEntry): Buffer {
  const { name, flags, method, offset, packedSize, size } = entry;
  if ((flags & 1) !== 0) throw new ZipError(`${name} is encrypted`);
  if (size > maxBytes) throw new ZipError(`${name} has ${size} bytes; the limit is ${maxBytes}`);
  if (bytes.readUInt32LE(offset) !== signatures.local)
    throw new ZipError(`${name} is not where the archive says`);
  const start =
    offset + sizes.local + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const packed = bytes.subarray(start, start + packedSize);
  if (method !== methods.stored && method !== methods.deflated)
    throw new ZipError(`${name} is compressed with the unknown method ${method}`);
  const content =
    method === methods.stored
      ? packed
      : inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  if (content.length !== size || crc32(content) !== entry.checksum)
    throw new ZipError(`${name} is broken`);
  return content;
}

/** A file to add to an archive. */
export interface ZipFile {
  name: string;
  content: Buffer;
  modified: Date;
}

/** Creates an archive. */
export function writeZip(files: readonly ZipFile[]): Buffer {
  if (files.length >= 0xffff)
    throw new Error(`expected at most 65534 files in an archive, got ${files.length}`);
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, modified } of files) {
    const deflated = deflateRawSync(content);
    const isSmaller = deflated.length < content.length;
    const packed = isSmaller ? deflated : content;
    const encoded = Buffer.from(name);
    const fields = describe(
      { packed, content, encoded, modified },
      isSmaller ? methods.deflated : methods.stored,
    );
    const local = Buffer.alloc(sizes.local);
    local.writeUInt32LE(signatures.local, 0);
    fields.copy(local, 4);
    const central = Buffer.alloc(sizes.central);
    central.writeUInt32LE(signatures.central, 0);
    central.writeUInt16LE(version, 4);
    fields.copy(central, 6);
    central.writeUInt32LE(offset, 42);
    parts.push(local, encoded, packed);
    directory.push(central, encoded);
    offset += local.length + encoded.length + packed.length;
  }
  const whole = Buffer.concat(directory);
  const end = Buffer.alloc(sizes.end);
  end.writeUInt32LE(signatures.end, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(whole.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, whole, end]);
}

/** Returns the fields that both headers share. */
function describe(
  file: { packed: Buffer; content: Buffer; encoded: Buffer; modified: Date },
  method: number,
): Buffer {
  const { packed, content, encoded, modified } = file;
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(version, 0);
  fields.writeUInt16LE(utf8, 2);
  fields.writeUInt16LE(method, 4);
  const [hours, minutes] = [modified.getUTCHours(), modified.getUTCMinutes()];
  fields.writeUInt16LE((hours << 11) | (minutes << 5) | (modified.getUTCSeconds() >> 1), 6);
  const year = Math.min(Math.max(modified.getUTCFullYear() - 1980, 0), 127);
  const day = ((modified.getUTCMonth() + 1) << 5) | modified.getUTCDate();
  fields.writeUInt16LE((year << 9) | day, 8);
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(content.length, 18);
  fields.writeUInt16LE(encoded.length, 22);
  return fields;
}
