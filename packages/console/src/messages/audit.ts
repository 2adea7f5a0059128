import { titles } from './titles.ts';

/** The kind of a record in words: `contactPolicy` as "contact policy". */
export const auditKind = (entityType: string): string =>
  entityType.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

/** Texts of the audit log. */
export const auditTexts = {
  title: titles.audit,
  lead: 'Who changed what, and when. Each row is sealed with the hash of the row before it; your browser checks those that you see.',
  verifyText: 'The server reads every row, computes its hash and follows the links from row to row.',
  verify: 'Verify the whole chain',
  intact: (rows: string) => `${rows} rows intact`,
  intactText: 'The server computed every hash and link again and found no break.',
  since: (sequence: string) => `Older rows were cut at row ${sequence}; the chain goes on from the hash noted there.`,
  broken: (row: string) => `The chain breaks at row ${row}`,
  brokenReasons: {
    hash_mismatch: 'The content of the row and its hash do not fit: the row was changed.',
    anchor_mismatch:
      'The chain is not the one whose end was noted outside the database: rows at its end were taken out or written anew.',
    chain_link_mismatch: 'The row does not name the hash of the row before it: rows were exchanged or made anew.',
    sequence_gap: 'A row is missing or there twice.',
    head_mismatch: 'The last row is not the one that was noted as the last: rows at the end are missing.',
  },
  partial: (rows: string) => `${rows} rows checked so far`,
  browser: 'In this browser',
  browserChecking: 'computing',
  browserRight: 'hash right',
  browserWrong: 'hash wrong',
  browserUnavailable: 'not here',
  browserUnavailableText: 'Browsers compute hashes on pages that came over https or from localhost only.',
  summary: (right: number, wrong: number) =>
    wrong === 0 ? `${right} rows recomputed in this browser, all right` : `${wrong} of ${right + wrong} rows are wrong`,
  gap: 'Link to the row below is broken',
  rows: 'Rows of the audit log',
  number: 'Row',
  when: 'When',
  who: 'Who',
  action: 'What',
  record: 'Record',
  changes: 'Changes',
  changed: (count: number) => (count === 1 ? '1 value' : `${count} values`),
  hash: 'Hash',
  anyAction: 'Any action',
  anybody: 'Anybody',
  anyKind: 'Any kind',
  onlyOf: (name: string) => `Only what ${name} did`,
  openRecord: 'Open the record',
  entityType: 'Kind of record',
  entityId: 'Id of the record',
  userId: 'Who (id)',
  from: 'From',
  to: 'To',
  clear: 'Clear the filters',
  none: 'No rows yet',
  noneText: 'Each change of offers, rules, settings, keys or people leaves one here.',
  noneFiltered: 'No row fits these filters',
  close: 'Close',
  request: 'Request',
  before: 'Hash of the row before',
  openDecision: 'Open the decision',
  noChanges: 'This act changed no values of the record.',
  forAdmins: 'The audit log is for admins.',
} as const;
