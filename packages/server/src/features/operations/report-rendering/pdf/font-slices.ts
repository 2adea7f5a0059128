import { readFile } from 'node:fs/promises';
import { create, type Font } from 'fontkit';
import decompress from 'woff2-encoder/decompress';
import { type Glyph, glyphRecord, unitsPerEm } from './truetype.ts';

// Fonts of PDF files come from npm packages that split each font into slices for browsers, one file per hundred or so
// characters. Only slices with a report's characters are read (docs/adr/0059).

/** Asked in this order for each character. */
const packages = ['inter', 'noto-sans-sc', 'noto-sans-kr', 'noto-sans-jp', 'noto-sans-tc'] as const;
/** Used if installed next to the server: fonts with rarer characters of Japan, Taiwan and Hong Kong. */
const optional: ReadonlySet<string> = new Set(['noto-sans-jp', 'noto-sans-tc']);

export type Weight = 'regular' | 'bold';
const axisOf: Readonly<Record<Weight, number>> = { regular: 400, bold: 620 };

/** A font file, and the characters it claims to contain; it may lack some. */
interface FontSlice {
  readonly file: URL;
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

async function slicesOf(name: string): Promise<readonly FontSlice[]> {
  let list: string;
  try {
    list = import.meta.resolve(`@fontsource-variable/${name}/unicode.json`);
  } catch (error) {
    if (optional.has(name)) return [];
    throw error;
  }
  const listed: Readonly<Record<string, string>> = JSON.parse(await readFile(new URL(list), 'utf8'));
  return Object.entries(listed).map(([slice, ranges]) => ({
    file: new URL(`files/${name}-${slice.replace(/[[\]]/g, '')}-wght-normal.woff2`, list),
    ranges: ranges.split(',').map(rangeOf),
  }));
}

/** `U+20AB`, `U+0460-052F` */
function rangeOf(text: string): readonly [number, number] {
  const [first = '', last = first] = text.trim().slice(2).split('-');
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
}

/** Opens a font of one weight. fontkit supports weights of uncompressed fonts only. */
async function open(file: URL, weight: Weight): Promise<Font> {
  const font = create(Buffer.from(await decompress(await readFile(file))));
  if (!('getVariation' in font)) throw new Error(`${file.pathname} contains more than one font`);
  return font.getVariation({ wght: axisOf[weight] });
}

function glyphOf(font: Font, character: string): Glyph | null {
  const code = character.codePointAt(0) ?? 0;
  if (!font.hasGlyphForCodePoint(code)) return null;
  // Use digits of equal width, so that figures align.
  const tabular = code >= 0x30 && code <= 0x39 ? font.layout(character, ['tnum']).glyphs[0] : undefined;
  const glyph = tabular ?? font.glyphForCodePoint(code);
  const scale = unitsPerEm / font.unitsPerEm;
  return { advance: Math.round(glyph.advanceWidth * scale), record: glyphRecord(glyph.path.commands, scale) };
}

export type Glyphs = ReadonlyMap<string, Glyph>;

interface FontGlyphs {
  readonly glyphs: Map<string, Glyph>;
  /** Characters that no font has. */
  readonly missing: Set<string>;
}

const none = (): FontGlyphs => ({ glyphs: new Map(), missing: new Set() });
/** Characters drawn by earlier reports, since most use the same ones. */
const drawn: Record<Weight, FontGlyphs> = { regular: none(), bold: none() };
/** Limit on cached characters of a weight; each takes some hundred bytes. */
const maxDrawn = 8_000;
const fonts = new Map<string, Promise<readonly FontSlice[]>>();

function slicesOfPackage(name: string): Promise<readonly FontSlice[]> {
  let slices = fonts.get(name);
  if (slices === undefined) {
    slices = slicesOf(name);
    slices.catch(() => fonts.delete(name));
    fonts.set(name, slices);
  }
  return slices;
}

/**
 * The glyphs of these characters in one weight; without those that no font has.
 * @param pause awaited between pieces of work
 */
export async function loadGlyphs(
  characters: ReadonlySet<string>,
  weight: Weight,
  pause: () => Promise<void> | undefined,
): Promise<Glyphs> {
  if (drawn[weight].glyphs.size > maxDrawn || drawn[weight].missing.size > maxDrawn) drawn[weight] = none();
  // Another report may drop the cache in the meantime, so keep a reference.
  const known = drawn[weight];
  let wanted = [...characters].filter((character) => !known.glyphs.has(character) && !known.missing.has(character));
  for (const name of packages) {
    if (wanted.length === 0) break;
    for (const { file, ranges } of await slicesOfPackage(name)) {
      const within = wanted.filter((character) => {
        if (known.glyphs.has(character)) return false;
        const code = character.codePointAt(0) ?? 0;
        return ranges.some(([first, last]) => code >= first && code <= last);
      });
      if (within.length === 0) continue;
      const font = await open(file, weight);
      for (const character of within) {
        const glyph = glyphOf(font, character);
        if (glyph !== null) known.glyphs.set(character, glyph);
        await pause();
      }
    }
    wanted = wanted.filter((character) => !known.glyphs.has(character));
  }
  for (const character of wanted) known.missing.add(character);
  return known.glyphs;
}
