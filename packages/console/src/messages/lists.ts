/** Words of lists of records. */
export const listTexts = {
  search: (what: string) => `Search ${what.toLocaleLowerCase()}`,
  home: 'To the first steps',
  open: 'Open',
  any: (what: string) => `Any ${what.toLocaleLowerCase()}`,
  clear: 'Clear filters',
  noneMatch: (what: string) => `No ${what.toLocaleLowerCase()} match the filters`,
  restarted: 'The list changed and was read again from the top.',
  readAnew: 'Read anew',
  status: 'Status',
  statuses: { draft: 'draft', active: 'active', paused: 'paused', archived: 'archived' },
  deleted: 'deleted',
  name: 'Name',
  type: 'Type',
  priority: 'Priority',
  changed: 'Changed',
  made: 'Made',
  description: 'Description',
  version: 'Version',
  warnings: (count: number) =>
    count === 1 ? 'One setting needs your attention' : `${count} settings need your attention`,
  about: 'About',
  key: 'Key',
  decisions: 'Decisions',
  decisionsOf: (name: string) => `Open decisions with ${name}`,
  creativesOf: (count: number) => (count === 1 ? '1 creative' : `${count} creatives`),
  idOf: (kind: string) => `${kind.toLocaleLowerCase()} id`,
  everything: 'everything',
  unknownRecord: (what: string) => `${what} not here any more`,
} as const;

/** Texts of a page that somebody's role does not reach. */
export const rightsTexts = {
  ask: (role: string, needs: string) =>
    `Your role is ${role}; this page needs ${needs}. Ask an admin of this tenant for what you need from it, or for the role.`,
  home: 'To the start page',
} as const;
