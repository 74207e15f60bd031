import { constants, crc32, deflateRawSync } from 'node:zlib';

/** How much text is compressed at a time (characters). */
const chunkLength = 128 * 1024;

/** A file being written to an archive. */
export interface ZipEntry {
  /** Appends text, encoded as UTF-8. */
  write(text: string): void;
}

/** Creates a ZIP archive whose files are compressed while they are written, so that only compressed data are kept. */
export function createZip() {
  const entries: ReturnType<typeof createEntry>[] = [];
  return {
    /** Begins a file. */
    entry(name: string): ZipEntry {
      const entry = createEntry(name);
      entries.push(entry);
      return entry;
    },

    /** Returns the whole archive in chunks. Nothing can be written afterwards. */
    end(): Buffer[] {
      const chunks: Buffer[] = [];
      const directory: Buffer[] = [];
      let offset = 0;
      for (const entry of entries) {
        const { name, compressed, size, checksum } = entry.end();
        const compressedSize = lengthOf(compressed);
        const common = commonHeader({ checksum, compressedSize, size, nameLength: name.length });
        const local = Buffer.concat([signature(0x04034b50), common, Buffer.alloc(2), name]);
        chunks.push(local, ...compressed);
        directory.push(centralHeader(common, offset), name);
        offset += local.length + compressedSize;
      }
      const end = Buffer.alloc(18);
      end.writeUInt16LE(entries.length, 4);
      end.writeUInt16LE(entries.length, 6);
      end.writeUInt32LE(lengthOf(directory), 8);
      end.writeUInt32LE(offset, 12);
      return [...chunks, ...directory, signature(0x06054b50), end];
    },
  };
}

function createEntry(name: string) {
  const compressed: Buffer[] = [];
  let pending: string[] = [];
  let pendingLength = 0;
  let size = 0;
  let checksum = 0;

  function compress(finishFlush: number): void {
    const bytes = Buffer.from(pending.join(''));
    pending = [];
    pendingLength = 0;
    size += bytes.length;
    checksum = crc32(bytes, checksum);
    // Byte-aligned blocks concatenate to one stream.
    compressed.push(deflateRawSync(bytes, { finishFlush }));
  }

  return {
    write(text: string): void {
      pending.push(text);
      pendingLength += text.length;
      if (pendingLength >= chunkLength) compress(constants.Z_SYNC_FLUSH);
    },
    end() {
      compress(constants.Z_FINISH);
      return { name: Buffer.from(name), compressed, size, checksum };
    },
  };
}

/** Returns the common part of a file's two headers: from the required version to the length of the name. */
function commonHeader(of: { checksum: number; compressedSize: number; size: number; nameLength: number }) {
  const header = Buffer.alloc(24);
  header.writeUInt16LE(20, 0);
  // The name is UTF-8.
  header.writeUInt16LE(0x0800, 2);
  header.writeUInt16LE(8, 4);
  // 1 January 1980, so that archives of the same files are identical.
  header.writeUInt16LE(0x21, 8);
  header.writeUInt32LE(of.checksum, 10);
  header.writeUInt32LE(of.compressedSize, 14);
  header.writeUInt32LE(of.size, 18);
  header.writeUInt16LE(of.nameLength, 22);
  return header;
}

function centralHeader(common: Buffer, offset: number): Buffer {
  const rest = Buffer.alloc(16);
  rest.writeUInt32LE(offset, 12);
  return Buffer.concat([signature(0x02014b50), Buffer.from([20, 0]), common, rest]);
}

function signature(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}

function lengthOf(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0);
}
