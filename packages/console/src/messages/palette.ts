/** Texts of the palette and of the overview of keys. */
export const paletteTexts = {
  title: 'Search and do',
  label: 'Page, act, name or id',
  here: 'On this page',
  pages: 'Pages',
  acts: 'Do',
  searching: 'Searching',
  failed: (kind: string) => `${kind} could not be searched`,
  none: (text: string) => `Nothing is called “${text}”. Paste a whole id, or part of a name.`,
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  hint: '↑ ↓ to choose, Enter to open, Esc to leave',
} as const;

export const keyTexts = {
  title: 'Keys',
  everywhere: 'Everywhere',
  after: 'then',
  lists: 'In lists',
  switchLabel: 'Single-letter keys',
  switchHelp:
    'Switch them off if a voice control or another program writes letters by itself. Keys with Ctrl or ⌘ stay.',
  palette: 'Search and do',
  overview: 'This overview',
  goTo: (page: string) => `Go to ${page}`,
  filter: 'Filter the list',
  commit: 'The main act of the page',
  next: 'Next row',
  previous: 'Previous row',
  select: 'Select the row',
  open: 'Open the row',
  peek: 'Look into the row',
  selectAll: 'Select all that is loaded',
  leave: 'Leave the table',
} as const;

/** Kinds of records that the palette finds. */
export const searchTexts = {
  offers: 'Offers',
  creatives: 'Creatives',
  channels: 'Channels',
  placements: 'Placements',
  categories: 'Categories',
  flows: 'Flows',
  policies: 'Contact policies',
  rules: 'Qualification rules',
  segments: 'Segments',
  schemas: 'Schemas',
  decisions: 'Decisions',
  decision: 'Decision',
  customers: 'Customers',
  customer: 'customer',
  itsDecisions: 'its decisions',
} as const;
