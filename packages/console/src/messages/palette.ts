/** Texts of the command palette and the list of keyboard shortcuts. */
export const paletteTexts = {
  title: 'Search and commands',
  label: 'Search pages, actions, names or IDs',
  here: 'On this page',
  pages: 'Pages',
  acts: 'Actions',
  searching: 'Searching',
  failed: (kind: string) => `Couldn't search ${kind.toLocaleLowerCase()}`,
  none: (text: string) => `No results for “${text}”. Enter part of a name, or a full ID.`,
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  hint: '↑ ↓ to select, Enter to open, Esc to close',
} as const;

export const keyTexts = {
  title: 'Keyboard shortcuts',
  everywhere: 'Everywhere',
  after: 'then',
  lists: 'In lists',
  switchLabel: 'Single-letter shortcuts',
  switchHelp:
    'Turn these off if you use voice control or another program that types letters. Shortcuts with Ctrl or ⌘ stay on.',
  palette: 'Search and commands',
  overview: 'Show keyboard shortcuts',
  goTo: (page: string) => `Go to ${page}`,
  filter: 'Filter list',
  commit: 'Main action of the page',
  next: 'Next row',
  previous: 'Previous row',
  select: 'Select row',
  open: 'Open row',
  peek: 'Preview row',
  selectAll: 'Select all loaded rows',
  leave: 'Leave table',
} as const;

/** Searches for records, and details of found customers. */
export const searchTexts = {
  records: 'Records',
  customer: 'customer',
  itsDecisions: 'decisions',
} as const;
