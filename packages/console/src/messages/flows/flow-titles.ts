/** Titles of the screens that change flows. They load with the shell. */
export const flowTitles = {
  create: 'New flow',
  edit: 'Edit draft',
  settings: 'Flow settings',
  publish: 'Publish flow',
} as const;
