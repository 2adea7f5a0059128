import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

// The file format of PDF 1.7 (ISO 32000-1, 7.5): numbered objects, a table of their places, a trailer.

const compress = promisify(deflate);

/** Names an object in others: `12 0 R`. */
export type Reference = string;

export interface PdfFile {
  /** A number for an object that others name before it is written. */
  reserve(): Reference;
  write(object: string, as?: Reference): Reference;
  /** @param entries of its dictionary, as `/Name value` */
  writeStream(content: Buffer, entries?: string): Promise<Reference>;
  /**
   * @param catalog the root object
   * @param info the file's metadata
   */
  finish(catalog: Reference, info: Reference): Buffer;
}

/** Text outside of pages (titles, bookmarks), as UTF-16. */
export function pdfText(text: string): string {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  return `<${bytes.toString('hex')}>`;
}

/** `D:20261120223000Z` */
export function pdfDate(at: Date): string {
  return `(D:${at.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z)`;
}

/** Formats a number for PDF: no exponent, three decimals. */
export function pdfNumber(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

export function createPdfFile(): PdfFile {
  // Bytes above 127 in the second line tell programs that this is no text.
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  let length = parts[0]?.length ?? 0;
  const places: (number | null)[] = [];
  const add = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  function reserve(): Reference {
    return `${places.push(null)} 0 R`;
  }
  function begin(as: Reference): void {
    const number = Number.parseInt(as, 10);
    places[number - 1] = length;
    add(Buffer.from(`${number} 0 obj\n`));
  }
  return {
    reserve,
    write(object, as = reserve()) {
      begin(as);
      add(Buffer.from(`${object}\nendobj\n`, 'latin1'));
      return as;
    },
    async writeStream(content, entries = '') {
      const compressed = await compress(content);
      const as = reserve();
      begin(as);
      add(Buffer.from(`<</Filter/FlateDecode/Length ${compressed.length}${entries}>>stream\n`, 'latin1'));
      add(compressed);
      add(Buffer.from('\nendstream\nendobj\n'));
      return as;
    },
    finish(catalog, info) {
      const start = length;
      const lines = places.map((place, at) => {
        if (place === null) throw new Error(`object ${at + 1} was reserved but not written`);
        return `${String(place).padStart(10, '0')} 00000 n \n`;
      });
      const hash = createHash('sha256');
      for (const part of parts) hash.update(part);
      const id = hash.digest('hex').slice(0, 32);
      const size = places.length + 1;
      add(Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${lines.join('')}`));
      const trailer = `<</Size ${size}/Root ${catalog}/Info ${info}/ID[<${id}><${id}>]>>`;
      add(Buffer.from(`trailer\n${trailer}\nstartxref\n${start}\n%%EOF\n`));
      return Buffer.concat(parts);
    },
  };
}
