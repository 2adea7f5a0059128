import { titles } from './titles.ts';

export const peopleTexts = {
  title: titles.people,
  lead: 'Everyone who can sign in to this tenant, and the API keys and OAuth clients they own.',
  name: 'Name',
  email: 'Email',
  role: 'Role',
  status: 'Status',
  lastLogin: 'Last sign-in',
  never: 'never',
  none: 'No one matches',
  noneText: 'Clear the search to see everyone.',
  forAdmins: 'Only admins can view people.',
  you: 'This is you',
  inactive: 'Already deactivated',
  deactivate: 'Deactivate',
  deactivateAct: (name: string) => `Deactivate ${name}`,
  deactivateTitle: (name: string) => `Deactivate ${name}?`,
  deactivateText: 'Their sessions and links end now. You can reactivate them later.',
  deactivated: (name: string) => `${name} deactivated.`,
  reading: 'Looking up their API keys and OAuth clients…',
  ownsNothing: 'They own no API keys or OAuth clients.',
  owns: (count: number) =>
    count === 1 ? 'This credential stops working with them:' : `These ${count} credentials stop working with them:`,
  kinds: { api_key: 'API key', oauth_client: 'OAuth client' },
  usedNever: 'never used',
  reassignTo: 'Reassign to',
  reassignHelp: 'Secrets stay the same, so nothing breaks. For approvals, the two of you count as one person.',
  reassignNone: 'Nobody: they stop working',
  reassign: 'Reassign',
  reassigned: (count: number, name: string) =>
    count === 1 ? `1 credential now belongs to ${name}.` : `${count} credentials now belong to ${name}.`,
} as const;
