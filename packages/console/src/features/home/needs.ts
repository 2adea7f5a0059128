import { type Role, roles } from '@arbiter/contract/core/operation';

/** The signed-in user. */
export interface Person {
  readonly userId: string | null;
  readonly role: Role;
}

/** An approval request. */
export interface Request {
  readonly requesterId: string;
  readonly currentStage: number | null;
  readonly stages: readonly {
    readonly ordinal: number;
    readonly requiredRole: Role;
    readonly decidedBy: string | null;
  }[];
}

const reaches = (role: Role, required: Role): boolean => roles.indexOf(role) >= roles.indexOf(required);

/** Whether the user can decide the open stage of a request (docs/design/api-access.md 8). */
export function isForMe(request: Request, { userId, role }: Person, fourEyes: boolean): boolean {
  const stage = request.stages.find(({ ordinal }) => ordinal === request.currentStage);
  if (stage === undefined || !reaches(role, 'editor') || !reaches(role, stage.requiredRole)) return false;
  const acted = [request.requesterId, ...request.stages.map(({ decidedBy }) => decidedBy)];
  return !(fourEyes && acted.includes(userId));
}

/** Returns the live version of a flow with a newer draft; null if the draft is live or nothing is. */
export function behindDraft(flow: {
  readonly status: string;
  readonly updatedAt: string;
  readonly publishedVersions: readonly { readonly version: number; readonly publishedAt: string }[];
}): number | null {
  const last = flow.publishedVersions.at(-1);
  if (last === undefined || flow.status !== 'active') return null;
  // Publishing itself changes the flow, in the same transaction.
  return Date.parse(flow.updatedAt) - Date.parse(last.publishedAt) > 1_000 ? last.version : null;
}
