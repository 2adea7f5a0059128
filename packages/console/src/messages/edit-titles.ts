/** Titles of forms. They load with the shell, so they live apart from the texts of the forms. */
export const editTitles = {
  create: (kind: string) => `New ${kind.toLowerCase()}`,
  edit: (kind: string) => `Edit ${kind.toLowerCase()}`,
} as const;

export const destinationTitles = {
  create: editTitles.create('Destination'),
  edit: editTitles.edit('Destination'),
  send: 'Send message',
} as const;
