import { listText } from '../catalogue/conditions.ts';

/** Texts of forms that create and change records. */
export const editingTexts = {
  preset: 'Start from',
  save: 'Save',
  create: (kind: string) => `Create ${kind.toLowerCase()}`,
  saved: (name: string) => `Saved ${name}`,
  created: (name: string) => `Created ${name}`,
  edit: 'Edit',
  editing: (name: string) => `Edit ${name}`,
  requestApproval: 'Request approval',
  requestNext: 'An approver reviews this first. Nothing changes until then.',
  requested: (name: string) => `Requested approval for ${name}. It takes effect once it's approved.`,
  seeRequests: 'See requests',
  discard: 'Discard changes',
  cancel: 'Cancel',
  noChanges: 'No unsaved changes',
  changes: (labels: readonly string[]) =>
    labels.length === 1 ? `Unsaved change: ${labels[0]}` : `${labels.length} unsaved changes: ${listText(labels)}`,
  restored: 'We restored your unsaved changes.',
  restoredText: 'This browser saved them. Keep editing and save, or discard them to start from the stored values.',
  rebased: (labels: readonly string[]) =>
    `Someone else changed ${listText(labels)} in the meantime. Your changes are on top of the new version.`,
  summary: (count: number) => (count === 1 ? 'One field needs attention' : `${count} fields need attention`),
  whole: 'Form',
  notNumber: 'Enter a number.',
  notMoney: 'Enter an amount, such as 12 or 12.50.',
  required: 'Enter a value.',
  badJson: (message: string) => `This isn't valid JSON: ${message}`,
  none: 'None',
  chooseOne: 'Choose one',
  addShort: 'Add',
  add: (what: string) => `Add to ${what.toLowerCase()}`,
  remove: (what: string) => `Remove ${what}`,
  removeOne: 'Remove',
  row: (position: number) => `Entry ${position}`,
  full: (most: number) => `At most ${most} entries.`,
  key: (what: string, position: number) => `${what}: key ${position}`,
  keyShort: 'Key',
  value: (what: string, position: number) => `${what}: value ${position}`,
  valueShort: 'Value',
  secretStored: 'Stored. Type to replace it.',
  unset: 'Not set',
  usual: (label: string) => `Default: ${label}`,
  yes: 'Yes',
  no: 'No',
  clear: (what: string) => `Clear ${what.toLowerCase()}`,
  moreFields: 'More fields',
  needsRole: (role: string) => `Only users with the ${role} role can do this.`,
} as const;

/** Texts of the button that takes a record out of use and back. */
export const pauseTexts = {
  pause: 'Pause',
  resume: 'Resume',
  requestPause: 'Request pause',
  requestResume: 'Request resume',
  alreadyRequested: "Already requested. It takes effect once it's approved.",
  pauseQuestion: (name: string) => `Pause ${name}?`,
  pauseOneWay: 'Decisions stop using it now. To resume it, you need an approval.',
  notRequested: (name: string) => `Couldn't request approval for ${name}. Reload the page and try again.`,
  paused: (name: string) => `Paused ${name}. Decisions no longer use it.`,
  resumed: (name: string) => `Resumed ${name}. Decisions use it again.`,
  failed: (name: string) => `Couldn't change ${name}. Reload the page and try again.`,
} as const;

/** Texts of the merge of two people's changes. */
export const mergeTexts = {
  title: 'Someone else changed this record',
  text: (count: number) =>
    count === 1
      ? 'You both changed the same field. Choose the value to keep.'
      : `You both changed ${count} fields. Choose the value to keep in each.`,
  mine: 'Your value',
  theirs: 'Their value',
  base: 'Before',
} as const;

/** Buttons of records and flows that two people changed. */
export const conflictTexts = {
  keep: { mine: 'Keep mine', theirs: 'Keep theirs' },
  keepAll: { mine: 'Keep all of mine', theirs: 'Keep all of theirs' },
} as const;

/** Texts of deletions. */
export const deletionTexts = {
  delete: 'Delete',
  deleteOne: (name: string) => `Delete ${name}`,
  question: (name: string) => `Delete ${name}?`,
  forGood: 'This deletes it for good. It cannot be restored.',
  waiting: (name: string) => `Deleting ${name}`,
  undo: 'Undo',
  undone: (name: string) => `${name} was not deleted`,
  done: (name: string) => `Deleted ${name}`,
  failed: (name: string) => `${name} was not deleted`,
  usedBy: 'Used by',
} as const;

/** Texts of a record with requested changes. */
export const pendingTexts = {
  title: (count: number) =>
    count === 1
      ? 'A change to this record is waiting for approval'
      : `${count} changes to this record are waiting for approval`,
  text: 'Until then, the record stays as shown here.',
  open: (name: string, when: string) => `Open the request by ${name}, ${when}`,
} as const;
