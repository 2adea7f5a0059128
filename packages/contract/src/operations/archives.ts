import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, IdText, Int, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

/** Kinds of history. Each is archived in its own files. */
export const archivedKinds = ['decisions', 'interactions', 'impressions'] as const;

/** Maximum files in one list. */
export const maxArchivesListed = 1_000;

const count = (description: string) => Int(0, Number.MAX_SAFE_INTEGER, description);
const instant = (description: string) => Nullable(Timestamp(description), { description });
const Month = (description: string) =>
  Type.String({ pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$', description, examples: ['2026-05'] });

const Kind = StringEnum(archivedKinds, {
  description:
    'decisions: sealed records. interactions: responses, confirmations and reservations. impressions: offers that ' +
    'counted as shown when decided.',
});

/** A file of archived history. */
export const Archive = Type.Object(
  {
    id: Id('ID of the file.'),
    kind: Kind,
    month: Month('UTC month of the rows.'),
    state: StringEnum(['writing', 'deleting', 'archived', 'restoring', 'restored', 'removing'], {
      description:
        "writing: the file isn't complete yet. deleting: the file is complete, and its rows are being deleted from the database. archived: its rows are only in the file. restoring: its rows are being put back. restored: its rows are in the database again, and the month isn't archived for 30 days. removing: the file is about to be deleted.",
    }),
    rows: count('Number of rows in the file.'),
    excluded: count("Rows of the file that don't count, because they changed or were erased before it was complete."),
    bytes: count('Size of the file in bytes.'),
    sha256: Nullable(Type.String(), { description: 'SHA-256 of the file in hex. Null while it is being written.' }),
    path: Type.String({ description: 'Path of the file under ARCHIVE_URL.' }),
    createdAt: Timestamp('When writing started.'),
    archivedAt: instant('When the last row was deleted from the database. Null before that.'),
    verifiedAt: instant('When the file was last verified. Null if never.'),
    restoredAt: instant('When the last row was put back. Null if the file was not restored.'),
    problem: Nullable(Type.String(), { description: 'Problem that the last verification found. Null if none.' }),
  },
  { description: 'A file of archived history: part of one UTC month.' },
);
export type Archive = Static<typeof Archive>;

const ArchiveList = Type.Object(
  {
    data: Type.Array(Archive, { description: 'Files, newest month first.' }),
    total: count('Number of matching files.'),
  },
  { description: 'Files of archived history.' },
);
export type ArchiveList = Static<typeof ArchiveList>;

const shared = {
  tag: 'Administration',
  auth: 'credential',
  role: 'admin',
  transaction: 'tenant',
} as const;

const oneFile = {
  ...shared,
  method: 'POST',
  loadClass: 'heavy',
  params: Type.Object({ id: IdText('ID of the file.') }, { description: 'File to read.' }),
  rateLimits: [{ limit: 60, windowSeconds: 60, per: 'tenant' }],
} as const;

export const archiveOperations = {
  list: operation({
    ...shared,
    id: 'archives.list',
    method: 'GET',
    path: '/api/v1/admin/archives',
    loadClass: 'crud',
    summary: 'List archived files',
    description: `Returns the files of archived decisions, interactions and impressions, newest month first, at most ${maxArchivesListed}. If ARCHIVE_URL is set, months are archived ARCHIVE_AFTER_DAYS days after they end.`,
    query: Type.Object(
      { month: Type.Optional(Month('Only files of this UTC month.')), kind: Type.Optional(Kind) },
      { description: 'Filters.' },
    ),
    responses: { 200: { description: 'Archived files.', schema: ArchiveList } },
    errors: [],
    audit: [],
  }),
  verify: operation({
    ...oneFile,
    id: 'archives.verify',
    path: '/api/v1/admin/archives/{id}/verify',
    summary: 'Verify an archived file',
    description:
      'Reads the whole file, compares its size, hash and rows with what was written, and stores the result. If the file differs, `problem` says how.',
    responses: { 200: { description: 'The file with the result.', schema: Archive } },
    errors: ['not_found', 'not_configured', 'unavailable', 'invalid_transition'],
    audit: [{ action: 'verify', entityType: 'archive' }],
  }),
  restore: operation({
    ...oneFile,
    id: 'archives.restore',
    path: '/api/v1/admin/archives/{id}/restore',
    summary: 'Restore an archived file',
    description:
      "Verifies the file, then puts its rows back into the database in the background. Customers erased since then stay erased. The month isn't archived again for 30 days. Retention still deletes rows past their age.",
    responses: { 202: { description: 'The file, in state `restoring`.', schema: Archive } },
    errors: ['not_found', 'not_configured', 'unavailable', 'record_corrupt', 'invalid_transition'],
    audit: [{ action: 'restore', entityType: 'archive' }],
  }),
} as const;
