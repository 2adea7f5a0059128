const rows = (count: number, one: string, many: string): string =>
  count === 1 ? `1 ${one.toLowerCase()}` : `${count} ${many.toLowerCase()}`;

/** Texts of changes to many records at once. */
export const bulkTexts = {
  bar: (many: string) => `Change selected ${many.toLowerCase()}`,
  selected: (count: number) => `${count} selected`,
  clear: 'Clear selection',
  set: (label: string) => `Set ${label.toLowerCase()}`,
  delete: 'Delete',
  setTitle: (label: string, count: number, one: string, many: string) =>
    `Set ${label.toLowerCase()} of ${rows(count, one, many)}`,
  deleteTitle: (count: number, one: string, many: string) => `Delete ${rows(count, one, many)}`,
  deleteText: (count: number) =>
    count === 1
      ? 'Decisions stop using it immediately. An admin can restore it.'
      : 'Decisions stop using them immediately. An admin can restore them.',
  about:
    "Each record is changed separately. Records that someone else changed since you loaded them aren't overwritten.",
  requests: 'Changes to live records that need approval become requests.',
  apply: (count: number, one: string, many: string) => `Change ${rows(count, one, many)}`,
  running: (done: number, count: number) => `${done} of ${count}`,
  progress: 'Progress',
  stop: 'Stop',
  close: 'Close',
  retry: (count: number) => (count === 1 ? 'Retry 1' : `Retry ${count}`),
  summary: (verb: string, done: number, requested: number, failed: number, stopped: number) =>
    [
      `${done} ${verb}`,
      ...(requested > 0 ? [`${requested} requested`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(stopped > 0 ? [`${stopped} not sent`] : []),
    ].join(', '),
  changed: 'changed',
  deleted: 'deleted',
  left: 'Not done',
  conflict: 'Someone else changed this record. Retry to apply your change to the new version.',
  refused: (title: string, errors: readonly string[]) =>
    errors.length === 0 ? title : `${title}: ${errors.join(', ')}`,
  notSent: 'Not sent',
  inBackground: 'You can close this. The change continues, and the jobs menu shows its progress.',
} as const;
