import type { ContentItem } from '@arbiter/contract/catalogue/content';

export type ContentStep = 'submit' | 'approve' | 'reject' | 'publish' | 'archive';

/** Steps that a status allows, the usual one last. */
const steps: Readonly<Record<ContentItem['status'], readonly ContentStep[]>> = {
  draft: ['archive', 'submit'],
  in_review: ['archive', 'reject', 'approve'],
  approved: ['archive', 'publish'],
  published: ['archive'],
  archived: [],
};

export const stepsOf = ({ status }: Pick<ContentItem, 'status'>): readonly ContentStep[] => steps[status];

/** Whether the user is the submitter, who can't approve. */
export const isOwnRequest = (item: Pick<ContentItem, 'status' | 'submittedBy'>, userId: string | null): boolean =>
  item.status === 'in_review' && userId !== null && item.submittedBy === userId;
