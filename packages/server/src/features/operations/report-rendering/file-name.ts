import { DateTime } from 'luxon';
import type { ReportDocument, ReportFormat } from './report-document.ts';

const extensions: Readonly<Record<ReportFormat, string>> = { html: 'html', pdf: 'pdf', csv: 'csv', markdown: 'md' };
/** Limit on the name. Some systems refuse file names over 255 bytes. */
const maxCharacters = 60;

/**
 * The report's name as part of a file name or an address: lowercase ASCII letters, digits and hyphens, at most 60.
 * Accents fall away; a name with nothing of these (文, !!!) becomes `report`.
 */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, maxCharacters)
    .replace(/-+$/, '');
  return slug === '' ? 'report' : slug;
}

/** `<slug>-<yyyy-mm-dd>.<extension>`; the day is that of the report's time zone. */
export function fileNameOf({ name, generatedAt, timezone }: ReportDocument, format: ReportFormat): string {
  const day = DateTime.fromJSDate(generatedAt, { zone: timezone }).toFormat('yyyy-MM-dd');
  return `${slugOf(name)}-${day}.${extensions[format]}`;
}
