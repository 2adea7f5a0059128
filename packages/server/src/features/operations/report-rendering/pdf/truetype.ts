import type { PathCommand } from 'fontkit';

// A TrueType font built from outlines (ISO/IEC 14496-22), with only the tables that PDF viewers read.

/** Units of the em square of every font created here. */
export const unitsPerEm = 2048;

/** One glyph: its record in the table `glyf`, empty for a space. */
export interface Glyph {
  /** In units of the em square. */
  readonly advance: number;
  readonly record: Buffer;
}

interface OutlinePoint {
  readonly x: number;
  readonly y: number;
  readonly isOnCurve: boolean;
}

/** The record of a glyph drawn by these commands, `scale` times as large; TrueType has lines and quadratic curves. */
export function glyphRecord(commands: readonly PathCommand[], scale: number): Buffer {
  const contours: OutlinePoint[][] = [];
  let contour: OutlinePoint[] = [];
  const add = (x: number, y: number, isOnCurve: boolean): void => {
    contour.push({ x: Math.round(x * scale), y: Math.round(y * scale), isOnCurve });
  };
  const close = (): void => {
    const [first, last] = [contour[0], contour.at(-1)];
    // A contour closes on its own, so its first point isn't repeated.
    if (contour.length > 1 && first && last?.isOnCurve && last.x === first.x && last.y === first.y) contour.pop();
    if (contour.length > 1) contours.push(contour);
    contour = [];
  };
  for (const { command, args } of commands) {
    const [a = 0, b = 0, c = 0, d = 0] = args;
    if (command === 'closePath' || command === 'moveTo') close();
    if (command === 'moveTo' || command === 'lineTo') add(a, b, true);
    else if (command === 'quadraticCurveTo') {
      add(a, b, false);
      add(c, d, true);
    } else if (command === 'bezierCurveTo') throw new Error('TrueType has no cubic curves');
  }
  close();
  return recordOf(contours);
}

function recordOf(contours: readonly (readonly OutlinePoint[])[]): Buffer {
  const points = contours.flat();
  if (points.length === 0) return Buffer.alloc(0);
  const least = (of: (point: OutlinePoint) => number): number =>
    points.reduce((min, point) => Math.min(min, of(point)), Infinity);
  const record = Buffer.alloc(10 + 2 * contours.length + 2 + 5 * points.length + (points.length % 2));
  let at = 0;
  const int16 = (value: number): void => {
    at = record.writeInt16BE(value, at);
  };
  int16(contours.length);
  int16(least(({ x }) => x));
  int16(least(({ y }) => y));
  int16(-least(({ x }) => -x));
  int16(-least(({ y }) => -y));
  let end = -1;
  for (const contour of contours) {
    end += contour.length;
    int16(end);
  }
  // No instructions.
  int16(0);
  for (const { isOnCurve } of points) at = record.writeUInt8(isOnCurve ? 1 : 0, at);
  for (const axis of ['x', 'y'] as const) {
    let before = 0;
    for (const point of points) {
      int16(point[axis] - before);
      before = point[axis];
    }
  }
  return record;
}

export interface FontMetrics {
  readonly ascent: number;
  readonly descent: number;
}

/** Returns the font file. Glyph 0 stands for missing characters. */
export function trueTypeFont(glyphs: readonly Glyph[], { ascent, descent }: FontMetrics): Buffer {
  const offsets = Buffer.alloc(4 * (glyphs.length + 1));
  const metrics = Buffer.alloc(4 * glyphs.length);
  const bounds = [0, 0, 0, 0];
  let length = 0;
  let maxPoints = 0;
  let maxContours = 0;
  let widest = 0;
  glyphs.forEach(({ advance, record }, at) => {
    offsets.writeUInt32BE(length, 4 * at);
    metrics.writeUInt16BE(advance, 4 * at);
    widest = Math.max(widest, advance);
    length += record.length;
    if (record.length === 0) return;
    metrics.writeInt16BE(record.readInt16BE(2), 4 * at + 2);
    [2, 4, 6, 8].forEach((place, side) => {
      const value = record.readInt16BE(place);
      bounds[side] = side < 2 ? Math.min(bounds[side] ?? 0, value) : Math.max(bounds[side] ?? 0, value);
    });
    const contours = record.readInt16BE(0);
    maxContours = Math.max(maxContours, contours);
    maxPoints = Math.max(maxPoints, record.readUInt16BE(10 + 2 * (contours - 1)) + 1);
  });
  offsets.writeUInt32BE(length, 4 * glyphs.length);
  const head = words(1, 0, 1, 0, 0, 0, 0x5f0f, 0x3cf5, 0, unitsPerEm, 0, 0, 0, 0, 0, 0, 0, 0, ...bounds, 0, 8, 2, 1, 0);
  const hhea = words(1, 0, ascent, descent, 0, widest, 0, 0, widest, 1, 0, 0, 0, 0, 0, 0, 0, glyphs.length);
  const maxp = words(1, 0, glyphs.length, maxPoints, maxContours, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);
  return fontFile({
    glyf: Buffer.concat(glyphs.map(({ record }) => record)),
    head,
    hhea,
    hmtx: metrics,
    loca: offsets,
    maxp,
  });
}

/** Numbers of 16 bits, signed or not. */
function words(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(2 * values.length);
  for (const [at, value] of values.entries()) buffer.writeUInt16BE(value & 0xffff, 2 * at);
  return buffer;
}

/** Tables by name, in the order of their names, with their checksums. */
function fontFile(tables: Readonly<Record<string, Buffer>>): Buffer {
  const entries = Object.entries(tables);
  const power = 2 ** Math.floor(Math.log2(entries.length));
  const parts = [words(1, 0, entries.length, 16 * power, Math.log2(power), 16 * (entries.length - power))];
  let offset = 12 + 16 * entries.length;
  const bodies: Buffer[] = [];
  let headAt = 0;
  for (const [name, table] of entries) {
    const body = Buffer.concat([table, Buffer.alloc(-table.length & 3)]);
    const entry = Buffer.alloc(16);
    entry.write(name, 'latin1');
    entry.writeUInt32BE(sumOf(body), 4);
    entry.writeUInt32BE(offset, 8);
    entry.writeUInt32BE(table.length, 12);
    if (name === 'head') headAt = offset;
    parts.push(entry);
    bodies.push(body);
    offset += body.length;
  }
  const file = Buffer.concat([...parts, ...bodies]);
  file.writeUInt32BE((0xb1b0afba - sumOf(file)) >>> 0, headAt + 8);
  return file;
}

function sumOf(buffer: Buffer): number {
  let sum = 0;
  for (let at = 0; at < buffer.length; at += 4) sum = (sum + buffer.readUInt32BE(at)) >>> 0;
  return sum;
}
