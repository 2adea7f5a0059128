import { SourceError } from '../source-error.ts';

// Primitive types of the protocol: https://kafka.apache.org/protocol#protocol_types

/** Values of a request, in order. */
export type Encoder = (parts: Buffer[]) => void;

const fixed =
  (size: number, write: (buffer: Buffer) => void): Encoder =>
  (parts) => {
    const buffer = Buffer.alloc(size);
    write(buffer);
    parts.push(buffer);
  };

export const int8 = (value: number): Encoder => fixed(1, (buffer) => buffer.writeInt8(value));
export const int16 = (value: number): Encoder => fixed(2, (buffer) => buffer.writeInt16BE(value));
export const int32 = (value: number): Encoder => fixed(4, (buffer) => buffer.writeInt32BE(value));
export const int64 = (value: number): Encoder => fixed(8, (buffer) => buffer.writeBigInt64BE(BigInt(value)));
export const text = (value: string): Encoder => {
  const bytes = Buffer.from(value);
  return (parts) => parts.push(fixedBuffer(int16(bytes.length)), bytes);
};
export const bytes =
  (value: Buffer): Encoder =>
  (parts) =>
    parts.push(fixedBuffer(int32(value.length)), value);
export const list = <T>(values: readonly T[], encode: (value: T) => Encoder): Encoder =>
  all(int32(values.length), ...values.map(encode));
export const all =
  (...encoders: readonly Encoder[]): Encoder =>
  (parts) => {
    for (const encode of encoders) encode(parts);
  };

function fixedBuffer(encode: Encoder): Buffer {
  const parts: Buffer[] = [];
  encode(parts);
  return Buffer.concat(parts);
}

/** Returns the bytes of a value. */
export const encoded = fixedBuffer;

const maxItems = 1_000_000;

/** Reads values one after the other. Throws SourceError `unexpected_response` past the end. */
export interface Decoder {
  int8(): number;
  int16(): number;
  int32(): number;
  /** Offsets and times, which a double holds. */
  int64(): number;
  text(): string;
  nullableText(): string | null;
  nullableBytes(): Buffer | null;
  list<T>(read: () => T): T[];
  /** A number of variable length, in zigzag form. */
  varint(): number;
  take(size: number): Buffer;
  readonly left: number;
}

export function decoder(buffer: Buffer): Decoder {
  let at = 0;
  const take = (size: number): Buffer => {
    if (size < 0 || at + size > buffer.length) throw new SourceError('unexpected_response');
    at += size;
    return buffer.subarray(at - size, at);
  };
  const int16 = () => take(2).readInt16BE();
  const int32 = () => take(4).readInt32BE();
  const nullableText = () => {
    const size = int16();
    return size < 0 ? null : take(size).toString();
  };
  return {
    take,
    int8: () => take(1).readInt8(),
    int16,
    int32,
    int64: () => Number(take(8).readBigInt64BE()),
    text: () => nullableText() ?? '',
    nullableText,
    nullableBytes() {
      const size = int32();
      return size < 0 ? null : take(size);
    },
    list(read) {
      const size = int32();
      if (size > maxItems) throw new SourceError('unexpected_response');
      return Array.from({ length: Math.max(0, size) }, read);
    },
    varint() {
      let value = 0n;
      for (let shift = 0n; shift < 70n; shift += 7n) {
        const byte = take(1).readUInt8();
        value |= BigInt(byte & 0x7f) << shift;
        if (byte < 0x80) return Number((value >> 1n) ^ -(value & 1n));
      }
      throw new SourceError('unexpected_response');
    },
    get left() {
      return buffer.length - at;
    },
  };
}
