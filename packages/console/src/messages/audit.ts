import { counted } from './counted.ts';
import { titles } from './titles.ts';

/** Returns the label of a record type: "contact policy" for `contactPolicy`. */
export const auditKind = (entityType: string): string =>
  entityType
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replace(/^api\b/, 'API')
    .replace(/^oauth\b/, 'OAuth')
    .replace(/^sso\b/, 'single sign-on');

export const auditTexts = {
  title: titles.audit,
  lead: 'Who changed what, and when. Each row includes the hash of the row before it, and your browser verifies the rows you see.',
  verifyText: 'The server recomputes the hash of every row and checks each link.',
  verify: 'Verify entire log',
  intact: (rows: string) => `${counted(rows, 'row')} intact`,
  intactText: 'Every hash and link is correct.',
  since: (sequence: string) =>
    `Rows before ${sequence} were removed by retention. The chain continues from the hash recorded there.`,
  broken: (row: string) => `The chain is broken at row ${row}`,
  brokenReasons: {
    hash_mismatch: "The row doesn't match its hash. Its content was changed.",
    anchor_mismatch:
      "The chain doesn't match the anchor stored outside the database. Rows at the end were removed or rewritten.",
    chain_link_mismatch: "The row doesn't reference the hash of the row before it. Rows were replaced or reordered.",
    sequence_gap: 'A row is missing or duplicated.',
    head_mismatch: "The last row isn't the one on record. Rows at the end are missing.",
  },
  partial: (rows: string) => `${counted(rows, 'row')} checked so far`,
  browser: 'Your browser',
  browserChecking: 'checking',
  browserRight: 'verified',
  browserWrong: 'mismatch',
  browserUnavailable: 'not available',
  browserUnavailableText: 'Browsers compute hashes only over HTTPS or on localhost.',
  summary: (right: number, wrong: number) =>
    wrong === 0
      ? `${counted(right, 'row')} verified in your browser`
      : `Hash mismatch in ${wrong} of ${counted(right + wrong, 'row')}`,
  gap: 'The link to the row below is broken',
  rows: 'Entries',
  number: 'Row',
  when: 'When',
  who: 'Who',
  action: 'Action',
  record: 'Record',
  changes: 'Changes',
  changed: (count: number) => (count === 1 ? '1 value' : `${count} values`),
  hash: 'Hash',
  anyAction: 'Any action',
  anybody: 'Anyone',
  anyKind: 'Any type',
  onlyOf: (name: string) => `Show only actions by ${name}`,
  openRecord: 'Open record',
  entityType: 'Record type',
  entityId: 'Record ID',
  userId: 'User ID',
  from: 'From',
  to: 'To',
  clear: 'Clear filters',
  none: 'No changes yet',
  noneText: 'Changes to offers, rules, settings, keys and people appear here.',
  noneFiltered: 'No rows match these filters',
  close: 'Close',
  request: 'Request',
  before: "Previous row's hash",
  openDecision: 'Open decision',
  noChanges: 'No values changed.',
  showVersion: (version: number) => `Show version ${version}`,
  atVersion: (version: number) => `Record at version ${version}`,
  sinceVersion: 'Changed since',
  versionName: (version: number) => `version ${version}`,
  forAdmins: 'Only admins can view the audit log.',
} as const;
