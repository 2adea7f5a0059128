/** Texts of the form of a flow. */
export const flowFormTexts = {
  settingsOf: (name: string) => `Edit settings of ${name}`,
  basics: 'Flow',
  use: 'Use',
  steps: 'Start from',
  starts: { base: 'Base nodes', empty: 'No nodes' },
  stepsText: {
    base: 'All offers, qualification, contact policies, priority, variety. You can change every node.',
    empty: 'You add every node yourself.',
  },
  statuses: { draft: 'Draft', active: 'Active', paused: 'Paused', archived: 'Archived' },
  couplings: { partial: 'Partial', atomic: 'Atomic' },
  fixedKey: "Can't be changed. Requests select the flow by its key.",
  isDefaultNow: 'This is the default flow. Make another flow the default to change that.',
  labels: {
    '/isDefault': 'Default flow',
    '/isProtected': 'Protect from deletion',
    '/autoAssembly': 'Follow offers and creatives',
    '/couplingOverride': 'Coupling',
  },
  help: {
    '/name': '',
    '/description': '',
    '/status': 'Only active flows with a published version make decisions.',
    '/key': "Requests select the flow by its key. Can't be changed later.",
    '/isDefault': 'Used when neither a key nor a route selects a flow.',
    '/isProtected': '',
    '/couplingOverride': "How the items of a decision belong together. Default: the channel's coupling.",
    '/autoAssembly': "New and removed offers update the draft. The live version doesn't change.",
  },
} as const;
