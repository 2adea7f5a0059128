import { SourceError } from '../../../../../platform/sources/source-error.ts';

/** Whether it's a record's ID of 15 or 18 characters. */
export const isRecordId = (text: string): boolean => /^([0-9A-Za-z]{15}|[0-9A-Za-z]{18})$/.test(text);

const fieldName = /^[A-Za-z][A-Za-z0-9_]{0,79}$/;
/** Characters of field names in a query, which travels in a URL. */
const maxCharacters = 12_000;

/** Returns the query of all contacts, by ID. Throws SourceError for names and times that can't be part of it. */
export function contactsQuery({
  fields,
  after,
  since,
  limit,
}: {
  readonly fields: readonly string[];
  /** ID of the last contact of the read before. */
  readonly after: string | null;
  readonly since: string | undefined;
  readonly limit?: number;
}): string {
  if (fields.length === 0 || !fields.every((name) => fieldName.test(name)))
    throw new SourceError('unexpected_response');
  if (after !== null && !isRecordId(after)) throw new SourceError('unexpected_response');
  if (since !== undefined && Number.isNaN(Date.parse(since))) throw new SourceError('missing_config');
  const names = fields.join(',');
  const conditions = [
    ...(since === undefined ? [] : [`LastModifiedDate >= ${new Date(since).toISOString()}`]),
    ...(after === null ? [] : [`Id > '${after}'`]),
  ];
  return [
    `SELECT ${names.length > maxCharacters ? 'FIELDS(STANDARD)' : names} FROM Contact`,
    ...(conditions.length === 0 ? [] : [`WHERE ${conditions.join(' AND ')}`]),
    `ORDER BY Id${limit === undefined ? '' : ` LIMIT ${limit}`}`,
  ].join(' ');
}
