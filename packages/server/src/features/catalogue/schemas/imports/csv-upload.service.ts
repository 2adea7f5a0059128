import {
  type CsvAnalysis,
  type FilePart,
  largestCsv,
  longestSampleCell,
  type Parts,
  sampleRows,
} from '@arbiter/contract';
import { AppError } from '../../../../platform/app-error.ts';
import { createRowCount } from '../rows/row-count.rules.ts';
import { csvColumns, maxColumns, renamedColumns } from './csv-columns.rules.ts';
import { csvInvalid, delimiterOf, readRecords, readText } from './csv-text.rules.ts';

/** The examined part of a file. */
const sampleBytes = 1024 * 1024;
const maxRows = 100;

const csvTypes = ['text/csv', 'application/vnd.ms-excel', 'text/plain'];

/** Accepts a declared type other than CSV's if it's generic and the file name fits; otherwise throws 415. */
export function assertCsvType({ mediaType, fileName }: FilePart): void {
  if (mediaType !== null && csvTypes.includes(mediaType)) return;
  const isUnsaid = mediaType === null || mediaType === 'application/octet-stream';
  if (isUnsaid && /\.(csv|tsv|txt)$/i.test(fileName ?? '')) return;
  throw new AppError('unsupported_media_type', { detail: `The file must be one of ${csvTypes.join(', ')}.` });
}

interface UploadSample {
  readonly bytes: Uint8Array;
  /** Of the whole file. */
  readonly length: number;
  /** Rows of the whole file, without its header. */
  readonly rows: number;
}

/** The beginning of a file, and its length. Behind the beginning, only rows are counted. */
async function readSample(content: FilePart['content']): Promise<UploadSample> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const rows = createRowCount();
  for await (const chunk of content) {
    if (length < sampleBytes) chunks.push(chunk.subarray(0, sampleBytes - length));
    length += chunk.length;
    rows.take(chunk);
    if (length > largestCsv) {
      throw new AppError('payload_too_large', { detail: `The file must be at most ${largestCsv} bytes.` });
    }
  }
  return { bytes: Buffer.concat(chunks), length, rows: rows.rows() };
}

/**
 * Returns the columns that the part `file` would become. At most its first megabyte is in memory. Throws `csv_invalid`,
 * `unsupported_media_type`, `payload_too_large`.
 */
export async function analyseUpload(parts: Parts): Promise<CsvAnalysis> {
  let analysis: CsvAnalysis | null = null;
  for await (const part of parts) {
    if (part.name !== 'file' || part.kind !== 'file') continue;
    if (analysis !== null) throw csvInvalid('must be sent once');
    assertCsvType(part);
    analysis = analyse(await readSample(part.content));
  }
  if (analysis === null) throw csvInvalid('is missing');
  return analysis;
}

function analyse({ bytes, length, rows: estimatedRows }: UploadSample): CsvAnalysis {
  const isWhole = length === bytes.length;
  const { text, encoding } = readText(bytes, isWhole);
  const { delimiter, cells } = delimiterOf(text);
  if (cells > maxColumns) throw csvInvalid(`must have at most ${maxColumns} columns`);
  const { header, rows, rowsEnd } = readRecords(text, delimiter, maxRows, isWhole);
  if (header.length > maxColumns) throw csvInvalid(`must have at most ${maxColumns} columns`);
  const truncated = !isWhole || (rows.length === maxRows && hasMore(text, rowsEnd));
  const columns = csvColumns(header, rows);
  const warnings = renamedColumns(header, columns);
  return {
    columns,
    rowCount: rows.length,
    sample: rows.slice(0, sampleRows).map((row) => row.map(sampleCell)),
    headers: [...header],
    estimatedRows,
    truncated,
    encoding,
    delimiter,
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

const sampleCell = (cell: string): string =>
  [...cell.slice(0, 2 * longestSampleCell)].slice(0, longestSampleCell).join('');

/** Returns true when anything but blank lines follows this fraction of the text. */
function hasMore(text: string, share: number): boolean {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.subarray(Math.round(share * bytes.length)).some((byte) => byte !== 0x0a && byte !== 0x0d);
}
