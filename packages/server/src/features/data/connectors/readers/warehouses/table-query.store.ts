import type { TableQuery } from '../../../../../db/index.ts';
import { SourceError } from '../../../../../platform/sources/source-error.ts';

/** A statement that tests a connection. */
export const trivialStatement = 'SELECT 1';

/** Returns the statement that reads a table. `parameter`: its placeholder for the last watermark. */
export function tableStatement({ table, watermark, after, limit }: TableQuery, parameter: string): string {
  const condition = after === null ? 'IS NOT NULL' : `> ${parameter}`;
  return [
    `SELECT * FROM ${table}`,
    ...(watermark === null ? [] : [`WHERE ${watermark} ${condition} ORDER BY ${watermark}`]),
    ...(limit > 0 ? [`LIMIT ${limit}`] : []),
  ].join(' ');
}

/** Throws SourceError `missing_config` for names that a backslash could lead out of their quotes. */
export function assertNoBackslash({ table, watermark }: TableQuery): void {
  if (`${table}${watermark ?? ''}`.includes('\\')) throw new SourceError('missing_config');
}
