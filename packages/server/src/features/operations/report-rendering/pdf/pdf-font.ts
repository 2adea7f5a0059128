import type { PathCommand } from 'fontkit';
import type { Glyphs } from './font-slices.ts';
import type { PdfFile, Reference } from './pdf-file.ts';
import { type Glyph, glyphRecord, trueTypeFont, unitsPerEm } from './truetype.ts';

/** A font of a PDF file with only the glyphs that the file uses. */
export interface PdfFont {
  /** Width of a text set in size 1. */
  width(text: string): number;
  /** The text as a string of the content stream: a number of two bytes for each glyph, in hex. */
  encode(text: string): string;
  embed(file: PdfFile): Promise<Reference>;
}

// Same height as Inter, the typeface of Latin, Greek and Cyrillic letters.
const metrics = { ascent: 1984, descent: -494 };
const capHeight = 1490;

/** A box for characters that no font has. The underlying text keeps the character. */
const box: Glyph = {
  advance: 1300,
  // The inner edge runs the other way round, which leaves it empty.
  record: glyphRecord(
    [
      ...square([160, 0], [160, 1490], [1140, 1490], [1140, 0]),
      ...square([260, 100], [1040, 100], [1040, 1390], [260, 1390]),
    ],
    1,
  ),
};

function square(...corners: readonly (readonly [number, number])[]): PathCommand[] {
  const commands = corners.map(
    ([x, y], at): PathCommand => ({ command: at === 0 ? 'moveTo' : 'lineTo', args: [x, y] }),
  );
  return [...commands, { command: 'closePath', args: [] }];
}

/** Joiners, variation selectors, and marks that no font has: nothing is drawn, and the text below it stays whole. */
const unseen: Glyph = { advance: 0, record: Buffer.alloc(0) };
const isUnseen = (character: string): boolean => /[\p{Default_Ignorable_Code_Point}\p{M}]/u.test(character);

/** Glyphs that a font can number. */
const maxGlyphs = 65_000;

/** @param glyphs those of the characters that may be written; others become boxes */
export function createPdfFont(name: string, glyphs: Glyphs): PdfFont {
  const used: { readonly glyph: Glyph; readonly character: string }[] = [{ glyph: box, character: '' }];
  const codes = new Map<string, string>();
  const glyphOf = (character: string): Glyph => glyphs.get(character) ?? (isUnseen(character) ? unseen : box);
  const codeOf = (character: string): string => {
    let code = codes.get(character);
    if (code === undefined) {
      const number = used.length < maxGlyphs ? used.push({ glyph: glyphOf(character), character }) - 1 : 0;
      code = number.toString(16).padStart(4, '0');
      codes.set(character, code);
    }
    return code;
  };
  return {
    width(text) {
      let width = 0;
      for (const character of text) width += glyphOf(character).advance;
      return width / unitsPerEm;
    },
    encode(text) {
      let hex = '';
      for (const character of text) hex += codeOf(character);
      return `<${hex}>`;
    },
    async embed(file) {
      const font = trueTypeFont(
        used.map(({ glyph }) => glyph),
        metrics,
      );
      const program = await file.writeStream(font, `/Length1 ${font.length}`);
      const thousandths = (units: number): number => Math.round((units * 1000) / unitsPerEm);
      const { ascent, descent } = metrics;
      const descriptor = file.write(
        `<</Type/FontDescriptor/FontName/${name}/Flags 4/FontBBox[-200 ${thousandths(descent)} 1400 ${thousandths(ascent)}]` +
          `/ItalicAngle 0/Ascent ${thousandths(ascent)}/Descent ${thousandths(descent)}/CapHeight ${thousandths(capHeight)}/StemV 80/FontFile2 ${program}>>`,
      );
      const widths = used.map(({ glyph: { advance } }) => thousandths(advance)).join(' ');
      const descendant = file.write(
        `<</Type/Font/Subtype/CIDFontType2/BaseFont/${name}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>` +
          `/FontDescriptor ${descriptor}/CIDToGIDMap/Identity/DW 1000/W[0[${widths}]]>>`,
      );
      const characters = used.map(({ character }) => character);
      const toUnicode = await file.writeStream(Buffer.from(unicodeMap(characters)));
      return file.write(
        `<</Type/Font/Subtype/Type0/BaseFont/${name}/Encoding/Identity-H/DescendantFonts[${descendant}]/ToUnicode ${toUnicode}>>`,
      );
    },
  };
}

/** A list in a map of characters may be so long (ISO 32000-1, 9.7.5 and Adobe's technical note 5014). */
const maxPerList = 100;

/** Maps glyphs to characters, so that viewers can search and copy text. */
function unicodeMap(characters: readonly string[]): string {
  const lines = characters.slice(1).map((character, at) => {
    const utf16 = Buffer.from(character, 'utf16le').swap16().toString('hex');
    return `<${(at + 1).toString(16).padStart(4, '0')}> <${utf16}>`;
  });
  const lists: string[] = [];
  for (let at = 0; at < lines.length; at += maxPerList) {
    const list = lines.slice(at, at + maxPerList);
    lists.push(`${list.length} beginbfchar\n${list.join('\n')}\nendbfchar\n`);
  }
  return (
    '/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n' +
    '/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n/CMapName /Adobe-Identity-UCS def\n' +
    `/CMapType 2 def\n1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n${lists.join('')}` +
    'endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n'
  );
}
