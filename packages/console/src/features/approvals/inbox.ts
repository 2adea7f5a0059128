import type { Role } from '@arbiter/contract/core/operation';
import type { Approval } from '@arbiter/contract/operations/approvals';

export const inboxTabs = ['waiting', 'mine', 'done'] as const;
export type InboxTab = (typeof inboxTabs)[number];

/** Who looks at the inbox. */
export interface Reviewer {
  readonly userId: string;
  readonly role: Role;
  /** The tenant requires that different people request a change and decide each of its stages. */
  readonly fourEyes: boolean;
}

type Request = Pick<
  Approval,
  'id' | 'status' | 'requesterId' | 'currentStage' | 'stages' | 'entityType' | 'entityId' | 'action'
>;

const order: readonly Role[] = ['viewer', 'editor', 'admin'];

/** The stage that waits for a decision. */
export const openStage = ({ currentStage, stages }: Pick<Request, 'currentStage' | 'stages'>) =>
  stages.find(({ ordinal }) => ordinal === currentStage) ?? null;

/** Why someone can't decide a request; null if they can. */
export function whyNotDecide(
  request: Request,
  { userId, role, fourEyes }: Reviewer,
): 'own' | 'decided' | 'closed' | 'role' | null {
  if (request.status !== 'pending') return 'closed';
  if (fourEyes && request.requesterId === userId) return 'own';
  if (fourEyes && request.stages.some(({ decidedBy }) => decidedBy === userId)) return 'decided';
  const stage = openStage(request);
  const needed = order.indexOf(stage?.requiredRole ?? 'admin');
  // Reviewers are editors at least.
  return order.indexOf(role) >= Math.max(needed, order.indexOf('editor')) ? null : 'role';
}

/** The requests of a tab. */
export const requestsOf = <R extends Request>(
  tab: InboxTab,
  requests: readonly R[],
  reviewer: Reviewer,
): readonly R[] =>
  requests.filter((request) => {
    if (tab === 'mine') return request.requesterId === reviewer.userId;
    if (tab === 'done') return request.status !== 'pending';
    return whyNotDecide(request, reviewer) === null;
  });

/** Other open requests that change the same record. */
export const rivalsOf = <R extends Request>(request: Request, requests: readonly R[]): readonly R[] =>
  request.action === 'create' || request.status !== 'pending'
    ? []
    : requests.filter(
        (other) =>
          other.id !== request.id &&
          other.status === 'pending' &&
          other.action !== 'create' &&
          other.entityType === request.entityType &&
          other.entityId === request.entityId,
      );

/** Requests that can be approved together: the selection is of one kind of record and one action. */
export const areAlike = (
  one: Pick<Request, 'entityType' | 'action'> & { readonly payload: Approval['payload'] },
  other: typeof one,
): boolean =>
  one.entityType === other.entityType &&
  one.action === other.action &&
  (one.payload?.publish === true) === (other.payload?.publish === true);
