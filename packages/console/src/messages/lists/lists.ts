/** Texts of record lists. */
export const listTexts = {
  search: (what: string) => `Search ${what.toLocaleLowerCase()}`,
  open: 'Open',
  any: (what: string) => `Any ${what.toLocaleLowerCase()}`,
  clear: 'Clear filters',
  noneMatch: (what: string) => `No ${what.toLocaleLowerCase()} match the filters`,
  restarted: 'The list changed and was reloaded from the top.',
  reload: 'Reload',
  status: 'Status',
  statuses: { draft: 'draft', active: 'active', paused: 'paused', archived: 'archived' },
  deleted: 'deleted',
  name: 'Name',
  type: 'Type',
  priority: 'Priority',
  changed: 'Updated',
  created: 'Created',
  description: 'Description',
  version: 'Version',
  history: 'History',
  warnings: (count: number) => (count === 1 ? '1 setting needs attention' : `${count} settings need attention`),
  about: 'Details',
  key: 'Key',
  decisions: 'Decisions',
  decisionsOf: (name: string) => `Open decisions with ${name}`,
  creativesOf: (count: number) => (count === 1 ? '1 creative' : `${count} creatives`),
  idOf: (kind: string) => `${kind.toLocaleLowerCase()} ID`,
  everything: 'everything',
  unknownRecord: (what: string) => `deleted ${what.toLocaleLowerCase()}`,
} as const;

/** Texts of a page that the user's role can't open. */
export const rightsTexts = {
  ask: (role: string, needs: string) =>
    `You need the ${needs} role to open this page; yours is ${role}. Ask an admin of this tenant for access.`,
  home: 'Go to Home',
} as const;
